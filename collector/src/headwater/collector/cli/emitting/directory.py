"""``headwater emit`` into an embedded directory: through its own collector, or through the one that runs there."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from headwater.collector.embedded import LOG_DIRECTORY, Embedded
from headwater.collector.pipeline import Outcome as Settled
from headwater.collector.settings import Settings
from headwater.shared.errors import TransientError
from headwater.shared.log.segments import SegmentLog

from ..running import collector_runs
from .reading import Bad, Good
from .sinks import LogSink, Outcome, Sink

_PATIENCE_S = 30.0
_POLL_S = 0.02


def directory_sink(directory: Path) -> Sink:
    """The sink for the directory as it is now."""
    if collector_runs(directory):
        return RunningSink(directory)
    return EmbeddedSink(directory)


class EmbeddedSink:
    """Starts the whole pipeline in this process; what it has taken can be read at once."""

    def __init__(self, directory: Path) -> None:
        self.where = str(directory)
        self._embedded = Embedded(directory)

    async def open(self) -> None:
        await self._embedded.start()

    async def send(self, batch: Sequence[Good]) -> Outcome:
        settled = await self._embedded.ingest([good.raw for good in batch])
        refused = [
            Bad(good.place, "refused_by_store", one.reason)
            for good, one in zip(batch, settled, strict=True)
            if one.outcome is Settled.DEAD_LETTER
        ]
        return Outcome(refused, [])

    async def close(self) -> None:
        try:
            await self._embedded.drain(timeout_s=_PATIENCE_S)
        finally:
            await self._embedded.stop()


class RunningSink(LogSink):
    """Appends to the log of the collector that runs on the directory; in the end waits until that has caught up, so
    that what was sent can be read."""

    def __init__(self, directory: Path) -> None:
        settings = Settings().lineage
        super().__init__(directory / LOG_DIRECTORY, settings.collector_topic)
        self.where = f"{directory}, where a collector runs"
        self._segments = SegmentLog(str(directory.resolve() / LOG_DIRECTORY / settings.collector_topic))
        self._group = settings.collector.group

    async def close(self) -> None:
        try:
            await self._caught_up(self.following)
        finally:
            self._segments.close()
            await super().close()

    async def _caught_up(self, offset: int) -> None:
        patience_s = _PATIENCE_S
        while (self._segments.committed(self._group) or 0) < offset:
            if patience_s <= 0:
                raise TransientError(f"{self.where}: it has the events and did not store them within {_PATIENCE_S:g} s")
            await asyncio.sleep(_POLL_S)
            patience_s -= _POLL_S
