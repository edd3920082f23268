"""Appends to the retry and dead-letter topics, for as long as it takes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import structlog

from headwater.collector.pipeline.letters import Envelope, Failure
from headwater.collector.pipeline.parts import Parts
from headwater.shared.errors import HeadwaterError
from headwater.shared.log import Record

_log = structlog.get_logger("headwater.collector")

_MAX_PAUSE_S = 5.0
_MAX_NAMED = 5
"""Of the records that one log line is about."""


class StoppedError(Exception):
    """The pipeline was told to stop before this batch was settled; its offsets stay where they are."""


class Diversion(NamedTuple):
    """One record on its way to a retry topic, or to the dead letters where ``rung`` is None."""

    position: int
    """In the batch."""
    envelope: Envelope
    failure: Failure
    rung: int | None


class Diverter:
    """Holds the offset until the log has taken what it is given: nothing is settled that is nowhere."""

    def __init__(self, parts: Parts, lane: str) -> None:
        self._parts, self._lane = parts, lane
        self.held: str | None = None
        """Why an append does not succeed at present."""

    async def divert(self, diversions: Sequence[Diversion]) -> None:
        """Returns when all are durable. Raises StoppedError."""
        by_rung: defaultdict[int | None, list[Diversion]] = defaultdict(list)
        for diversion in diversions:
            by_rung[diversion.rung].append(diversion)
        now_ms = self._parts.now_ms()
        for rung, group in by_rung.items():
            if rung is None:
                await self._append(
                    self._parts.topics.dead_letters,
                    [item.envelope.sealed(item.failure, now_ms=now_ms) for item in group],
                )
                reasons = Counter(item.failure.reason for item in group)
                self._parts.metrics.dead_letters(reasons)
                _log.warning("dead_letters", lane=self._lane, reasons=dict(reasons), first=_named(group))
            else:
                due_ms = now_ms + int(self._parts.retry.delay_s(rung) * 1000)
                await self._append(
                    self._parts.topics.retry(rung),
                    [item.envelope.sealed(item.failure, now_ms=now_ms, not_before_ms=due_ms) for item in group],
                )
                self._parts.metrics.retried(rung, len(group))
                _log.info("retried_later", lane=self._lane, rung=rung, records=len(group), first=_named(group))

    async def _append(self, topic: str, records: list[Record]) -> None:
        parts, failures = self._parts, 0
        while True:
            try:
                await parts.log.append(topic, records)
                break
            except (HeadwaterError, OSError) as error:
                failures += 1
                self.held = f"{topic} cannot be written: {error}"
                parts.metrics.held(self._lane, True)
                _log.warning("offset_held", lane=self._lane, topic=topic, records=len(records), error=str(error))
            pause_s = min(_MAX_PAUSE_S, parts.retry.backoff_s * 2.0 ** min(failures, 16))
            if not await parts.pace.pause(pause_s):
                raise StoppedError
        if failures:
            self.held = None
            parts.metrics.held(self._lane, False)


def _named(group: Sequence[Diversion]) -> list[dict[str, str]]:
    return [
        {
            "origin": f"{item.envelope.topic}/{item.envelope.partition}/{item.envelope.offset}",
            "event_id": item.failure.event_id,
            "reason": item.failure.reason,
            "error": item.failure.error[:200],
        }
        for item in group[:_MAX_NAMED]
    ]
