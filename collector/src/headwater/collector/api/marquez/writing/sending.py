"""Sends the events of a write through the log, and waits until they can be read back."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Final

from headwater.collector.catalog import is_reserved
from headwater.collector.pipeline.outcome import Outcome
from headwater.shared import codec, times
from headwater.shared.clock import SystemClock
from headwater.shared.errors import InvalidEventError, PermanentError, TransientError

from ...answers import Refusal, bad_request, invalid_event, unavailable
from ...services import Json, Services

_PATIENCE_S: Final = 10.0
"""Where collectors elsewhere store what the log takes."""
_PAUSE_S: Final = 0.05


class Writer:
    """What the writing routes share."""

    def __init__(self, services: Services) -> None:
        self._services, self._clock = services, SystemClock()

    def now(self) -> str:
        """Canonical."""
        return times.now_text(self._clock)

    async def send(self, events: Iterable[Json]) -> None:
        """Returns when all can be read. Raises Refusal: 422 where a name is none, 413, 503 with Retry-After where the
        log takes nothing, 202 where the events are durable and cannot be read yet."""
        try:
            found = [codec.from_dict(event) for event in events]
            settled = await self._services.ingest(found)
        except InvalidEventError as error:
            raise invalid_event(error) from error
        except TransientError as error:
            raise unavailable(error) from error
        except PermanentError as error:
            raise Refusal(422, str(error), errors=[str(error)]) from error
        for each in settled:
            if each.outcome is Outcome.REFUSED:
                raise Refusal(413, each.error, errors=[each.error])
        elsewhere = [
            event.event_id for event, each in zip(found, settled, strict=True) if each.outcome is not Outcome.STORED
        ]
        if elsewhere and not await self._readable(elsewhere):
            raise Refusal(202, "durable; it can be read once a collector has stored it")

    async def _readable(self, event_ids: list[str]) -> bool:
        reader = self._services.questions.reader
        try:
            async with asyncio.timeout(_PATIENCE_S):
                waiting = list(event_ids)
                while waiting:
                    await asyncio.sleep(_PAUSE_S)
                    waiting = [event_id for event_id in waiting if await reader.document(event_id) is None]
        except TimeoutError:
            return False
        return True


def refuse_reserved(namespace: str) -> None:
    """Raises Refusal 400 for a namespace that holds the catalog itself."""
    if is_reserved(namespace):
        raise bad_request(f"namespace '{namespace}' is headwater's own")
