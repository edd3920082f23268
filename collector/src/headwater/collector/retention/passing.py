"""One pass over the stores: takes away what the policy says, a few runs at a time."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from headwater.collector.audit.removing import Removals
from headwater.collector.maintenance.reconciling import Progress
from headwater.collector.retention.keeping import Keeping
from headwater.collector.retention.policy import Policy
from headwater.collector.retention.scratch import Scratch
from headwater.collector.stores.base import LineageStoreProtocol
from headwater.collector.stores.combined import reader_of
from headwater.collector.stores.forgetting import DocumentRef, Forgets, HasUnusedValues, RefersDocuments
from headwater.collector.stores.reading import Reader
from headwater.shared import times
from headwater.shared.clock import Clock, SystemClock
from headwater.shared.errors import ConfigurationError

BATCH: Final = 100
"""Runs taken away together."""
GRACE_S: Final = 60.0
"""A run of which an event came in since then is left for the next pass: more may be under way."""


@dataclass(slots=True)
class Retained:
    """What came of it; grows while the work goes on."""

    dry_run: bool = False
    runs: int = 0
    """Taken away whole."""
    documents: int = 0
    """Taken away, with their run or before it."""
    statistics: int | None = None
    """Facets taken away; None: not asked for, or a dry run, which cannot tell."""
    under_way: int = 0
    """Runs left alone, since events of theirs came in just now."""
    kept: dict[str, dict[str, int]] = field(default_factory=dict)
    """By policy: how many runs stay, by reason; ``old`` may go."""
    cut_off: bool = False
    """The most that one pass takes away was reached."""
    not_asked: list[str] = field(default_factory=list)
    """Stores that cannot forget."""
    complete: bool = False

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready, with stable keys."""
        return {
            "complete": self.complete,
            "dryRun": self.dry_run,
            "runs": self.runs,
            "documents": self.documents,
            "statistics": self.statistics,
            "underWay": self.under_way,
            "kept": self.kept,
            "truncated": self.cut_off,
            "truncatedBy": "max-runs" if self.cut_off else None,
            "notAsked": self.not_asked,
        }


class Retention:
    """Works on open stores. May be broken off and begun again; collectors may go on writing."""

    def __init__(
        self,
        stores: Sequence[LineageStoreProtocol],
        policy: Policy,
        done: Retained,
        *,
        clock: Clock | None = None,
        progress: Progress | None = None,
    ) -> None:
        """Raises ConfigurationError if these stores cannot be read."""
        self._policy, self._done = policy, done
        self._clock = clock if clock is not None else SystemClock()
        self._progress: Progress = progress if progress is not None else lambda *_: None
        reader = reader_of(stores)
        if reader is None:
            raise ConfigurationError("lineage.store", [each.name for each in stores], "stores that can be read")
        self._reader: Reader = reader
        done.not_asked = [each.name for each in stores if not isinstance(each, Forgets)]
        able = [each for each in stores if isinstance(each, Forgets)]
        # Facts go before documents that are elsewhere: what is left half done is then seen by ``reconcile``.
        self._stores = sorted(able, key=lambda each: isinstance(each, RefersDocuments))
        self._removals = [Removals(each, self._clock) for each in self._stores]

    async def run(self) -> None:
        """Raises TransientError or PermanentError; what was taken away until then stays away."""
        if not self._done.dry_run:
            for removals in self._removals:
                await removals.begin()
        if self._policy.runs is not None:
            await self._pass("runs", self._policy.runs)
        if self._policy.documents is not None:
            await self._pass("documents", self._policy.documents)
        if self._policy.statistics is not None:
            await self._forget_statistics(self._policy.statistics)
        if not self._done.dry_run:
            for store in self._stores:
                if isinstance(store, HasUnusedValues):
                    await store.forget_unused_values()
        self._done.complete = True

    def _cutoff(self, age_s: float) -> str:
        return times.from_epoch_ns(int((self._clock.now_s() - age_s) * 1e9))

    async def _pass(self, what: str, age_s: float) -> None:
        with Scratch() as scratch:
            keeping = Keeping(self._reader, scratch, self._cutoff(age_s), self._progress)
            await keeping.run()
            self._done.kept[what] = scratch.counts()
            total, left = scratch.counts().get("old", 0), self._policy.max_runs
            self._done.cut_off = self._done.cut_off or total > left
            for runs in keeping.removable(BATCH):
                if not left:
                    break
                await self._take(what, runs[:left], f"{what} older than {age_s / 86_400:g} days")
                left -= len(runs[:left])
                self._progress(f"take away {what}", self._policy.max_runs - left, total)

    async def _take(self, what: str, runs: Collection[str], reason: str) -> None:
        refs = await self._documents(runs)
        young = {ref.run for ref in refs if self._is_young(ref)}
        self._done.under_way += len(young)
        runs = [run for run in runs if run not in young]
        event_ids = {ref.event_id for ref in refs if ref.run not in young}
        self._done.documents += len(event_ids)
        self._done.runs += len(runs) if what == "runs" else 0
        if not self._done.dry_run:
            for removals in self._removals:
                await removals.take(runs if what == "runs" else (), event_ids, reason)

    async def _documents(self, runs: Collection[str]) -> list[DocumentRef]:
        return [
            ref
            for store in self._stores
            if isinstance(store, RefersDocuments)
            for ref in await store.documents_of_runs(runs)
        ]

    def _is_young(self, ref: DocumentRef) -> bool:
        return self._clock.now_s() - times.to_epoch_s(ref.received_at) < GRACE_S

    async def _forget_statistics(self, age_s: float) -> None:
        with Scratch() as scratch:
            keeping = Keeping(self._reader, scratch, self._cutoff(age_s), self._progress)
            await keeping.enumerate()
            for runs in keeping.removable(BATCH):
                if self._done.dry_run:
                    continue
                counts = [await store.forget_statistics(runs) for store in self._stores]
                self._done.statistics = (self._done.statistics or 0) + sum(counts)
