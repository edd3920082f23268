"""Appends to the retry and dead-letter topics, for as long as it takes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from headwater.collector.pipeline.letters import Envelope, Failure
from headwater.collector.pipeline.parts import Parts
from headwater.shared.errors import HeadwaterError
from headwater.shared.log import Record

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
    run_id: str | None = None
    """Of the event, where it could be read and is about a run."""


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
                self._tell_dead_letters(group)
            else:
                due_ms = now_ms + int(self._parts.retry.delay_s(rung) * 1000)
                await self._append(
                    self._parts.topics.retry(rung),
                    [item.envelope.sealed(item.failure, now_ms=now_ms, not_before_ms=due_ms) for item in group],
                )
                self._parts.metrics.retried(rung, len(group))
                self._parts.lines.info(
                    "retried_later", of=self._lane, lane=self._lane, rung=rung, records=len(group), first=_named(group)
                )

    def _tell_dead_letters(self, group: Sequence[Diversion]) -> None:
        by_reason: defaultdict[str, list[Diversion]] = defaultdict(list)
        for item in group:
            by_reason[item.failure.reason].append(item)
        for reason, letters in by_reason.items():
            about = {"lane": self._lane, "reason": reason, "records": len(letters), "first": _named(letters)}
            self._parts.lines.warning("dead_letters", of=f"{self._lane} {reason}", **about)

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
                parts.lines.warning(
                    "offset_held", of=self._lane, lane=self._lane, topic=topic, records=len(records), error=str(error)
                )
            pause_s = min(_MAX_PAUSE_S, parts.retry.backoff_s * 2.0 ** min(failures, 16))
            if not await parts.pace.pause(pause_s):
                raise StoppedError
        if failures:
            self.held = None
            parts.metrics.held(self._lane, False)


def _named(group: Sequence[Diversion]) -> list[dict[str, str | None]]:
    return [
        {
            "origin": f"{item.envelope.topic}/{item.envelope.partition}/{item.envelope.offset}",
            "event_id": item.failure.event_id or None,
            "run_id": item.run_id,
            "error": item.failure.error[:200],
        }
        for item in group[:_MAX_NAMED]
    ]
