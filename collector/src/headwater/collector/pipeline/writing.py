"""The write path: a batch to every store, each with its own tries, down to the single event that is refused."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Collection, Sequence
from random import Random
from typing import NamedTuple

from headwater.collector.pipeline.pace import Pace
from headwater.collector.policy import RetryPolicy
from headwater.collector.stores.base import ProjectedEvent
from headwater.collector.stores.composite import CompositeLineageStore
from headwater.collector.stores.member import WriteOutcome
from headwater.shared.errors import PermanentError, TransientError


class WriteReport(NamedTuple):
    """Which events are not in which stores, and why; by the event's index in the batch. An event that is in neither
    is durable in every store that was asked."""

    failed: dict[int, dict[str, TransientError]]
    refused: dict[int, dict[str, PermanentError]]


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
        ``split_failures`` a failing batch is halved too, as long as the breaker allows, so that one event that always
        fails does not take the others of its batch to the dead letters with it.
        """
        report = WriteReport({}, {})
        if batch:
            names = [name for name in self.stores.members if only is None or name in only]
            if len(names) == 1:
                await self._write_one(names[0], batch, report, split_failures)
            else:
                await asyncio.gather(*(self._write_one(name, batch, report, split_failures) for name in names))
        return report

    async def _write_one(
        self, store: str, batch: Sequence[ProjectedEvent], report: WriteReport, split_failures: bool
    ) -> None:
        spans = deque([(0, len(batch))])
        while spans:
            low, high = spans.popleft()
            part = batch if high - low == len(batch) else batch[low:high]
            outcome = await self._try(store, part, 1 if split_failures else self._policy.tries)
            if outcome is None:
                continue
            permanent = isinstance(outcome, PermanentError)
            if high - low > 1 and (permanent or (split_failures and self.stores.members[store].breaker.wait_s() == 0)):
                middle = (low + high) // 2
                spans += ((low, middle), (middle, high))
                continue
            for index in range(low, high):
                if isinstance(outcome, PermanentError):
                    report.refused.setdefault(index, {})[store] = outcome
                else:
                    report.failed.setdefault(index, {})[store] = outcome

    async def _try(self, store: str, batch: Sequence[ProjectedEvent], tries: int) -> WriteOutcome:
        failures = 0
        while True:
            outcome = (await self.stores.write_outcomes(batch, only=(store,)))[store]
            if not isinstance(outcome, TransientError):
                return outcome
            failures += 1
            if failures >= tries or self.stores.members[store].breaker.wait_s() > 0:
                return outcome
            pause_s = max(self._policy.pause_s(failures, self._random), outcome.retry_after_s or 0.0)
            if not await self._pace.pause(min(pause_s, self._policy.max_backoff_s)):
                return outcome
