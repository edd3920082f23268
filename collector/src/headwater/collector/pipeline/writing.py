"""The write path: a batch to every store, each with its own tries, down to the single event that is refused."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from random import Random
from typing import NamedTuple

from headwater.collector.pipeline.pace import Pace
from headwater.collector.policy import RetryPolicy
from headwater.collector.stores.base import ProjectedEvent
from headwater.collector.stores.composite import CompositeLineageStore
from headwater.collector.stores.member import WriteOutcome
from headwater.shared.errors import PermanentError, TransientError

_MAX_STREAK = 16
"""Failures in a row, while halving, after which it is not the events. A single bad event among 1,000 makes 11."""


class WriteReport(NamedTuple):
    """Which events are not in which stores, and why; by the event's index in the batch. An event that is in neither
    is durable in every store that was asked."""

    failed: dict[int, dict[str, TransientError]]
    refused: dict[int, dict[str, PermanentError]]

    def add(self, store: str, low: int, high: int, error: TransientError | PermanentError) -> None:
        """Notes an error of one store for the events from ``low`` to before ``high``."""
        for index in range(low, high):
            if isinstance(error, PermanentError):
                self.refused.setdefault(index, {})[store] = error
            else:
                self.failed.setdefault(index, {})[store] = error


class WritePath:
    """Used by the pipeline and by ``LineageCollectorService`` alike. Stores go side by side: a healthy one does not
    wait for the tries of another."""

    def __init__(self, stores: CompositeLineageStore, policy: RetryPolicy, pace: Pace, random: Random) -> None:
        self.stores = stores
        self._policy, self._pace, self._random = policy, pace, random

    async def write(
        self, batch: Sequence[ProjectedEvent], *, only: Collection[str] | None = None, split_failures: bool = False
    ) -> WriteReport:
        """Writes the batch to all stores, or to those named.

        A refused batch is halved until the events that cause it stand alone; the others are written. With
        ``split_failures`` a batch that fails although the store answers is halved too, so that one event that always
        fails does not take the others of its batch to the dead letters with it; a store that does not answer is waited
        for.
        """
        report = WriteReport({}, {})
        if batch:
            write_one = self._write_sparing if split_failures else self._write_trying
            names = [name for name in self.stores.members if only is None or name in only]
            if len(names) == 1:
                await write_one(names[0], batch, report)
            else:
                await asyncio.gather(*(write_one(name, batch, report) for name in names))
        return report

    async def _write_trying(self, store: str, batch: Sequence[ProjectedEvent], report: WriteReport) -> None:
        spans = [(0, len(batch))]
        while spans:
            low, high = spans.pop()
            outcome = await self._try(store, _part(batch, low, high))
            if isinstance(outcome, PermanentError) and high - low > 1:
                spans += _halves(low, high)
            elif outcome is not None:
                report.add(store, low, high, outcome)

    async def _try(self, store: str, batch: Sequence[ProjectedEvent]) -> WriteOutcome:
        failures = 0
        while True:
            outcome = (await self.stores.write_outcomes(batch, only=(store,)))[store]
            if not isinstance(outcome, TransientError):
                return outcome
            failures += 1
            if failures >= self._policy.tries or self.stores.members[store].breaker.wait_s() > 0:
                return outcome
            pause_s = max(self._policy.pause_s(failures, self._random), outcome.retry_after_s or 0.0)
            if not await self._pace.pause(min(pause_s, self._policy.max_backoff_s)):
                return outcome

    async def _write_sparing(self, store: str, batch: Sequence[ProjectedEvent], report: WriteReport) -> None:
        member = self.stores.members[store]
        spans, streak = [(0, len(batch))], 0
        while spans:
            low, high = spans.pop()
            outcome = await self._write_when_ready(store, _part(batch, low, high))
            if outcome is None:
                streak = 0
            elif isinstance(outcome, PermanentError):
                streak = 0
                if high - low > 1:
                    spans += _halves(low, high)
                else:
                    report.add(store, low, high, outcome)
            elif self._pace.stopping or (streak := streak + 1) >= _MAX_STREAK:
                member.failed(outcome)
                for span in ((low, high), *spans):
                    report.add(store, *span, outcome)
                return
            elif not await member.alive():
                spans.append((low, high))
                streak -= 1
            elif high - low > 1:
                spans += _halves(low, high)
            else:
                report.add(store, low, high, outcome)

    async def _write_when_ready(self, store: str, batch: Sequence[ProjectedEvent]) -> WriteOutcome:
        while (wait_s := await self.stores.probe(only=(store,))) > 0:
            if not await self._pace.pause(wait_s):
                return TransientError(f"{store}: told to stop while it is down")
        return (await self.stores.write_outcomes(batch, only=(store,), blame=False))[store]


def _part(batch: Sequence[ProjectedEvent], low: int, high: int) -> Sequence[ProjectedEvent]:
    return batch if high - low == len(batch) else batch[low:high]


def _halves(low: int, high: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """The second, then the first: the end of the list is next, and it goes down to single events first."""
    middle = (low + high) // 2
    return (middle, high), (low, middle)
