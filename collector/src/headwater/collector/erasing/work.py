"""Goes through every stored event; what is touched is replaced by its skeleton, and the graph is made anew."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from headwater.collector.audit.removing import Removals
from headwater.collector.erasing.matching import Matcher
from headwater.collector.erasing.pseudonyms import Pseudonyms
from headwater.collector.erasing.skeleton import skeleton
from headwater.collector.maintenance.parties import party_of
from headwater.collector.maintenance.rebuilding import Rebuilder, Rebuilt, graphs_of
from headwater.collector.maintenance.reconciling import Progress
from headwater.collector.pipeline.pace import Pace
from headwater.collector.pipeline.writing import WritePath
from headwater.collector.policy import RetryPolicy
from headwater.collector.projection import project
from headwater.collector.stores.base import LineageStoreProtocol, ProjectedEvent
from headwater.collector.stores.composite import CompositeLineageStore
from headwater.collector.stores.forgetting import Forgets
from headwater.collector.stores.reading import Document
from headwater.shared.clock import Clock, SystemClock
from headwater.shared.codec import decode, from_dict, loads_strict
from headwater.shared.errors import ConfigurationError, InvalidEventError, TransientError

BATCH: Final = 200
_EXAMPLES: Final = 10
_BYTES: Final = 8 * 1024 * 1024
REASON: Final = "erased on request"
"""Stands in the seals: what was erased must not."""


@dataclass(slots=True)
class Erased:
    """What came of it; grows while the work goes on."""

    dry_run: bool = False
    looked: int = 0
    """Events, of all stores together."""
    found: int = 0
    """Of these, such as hold what is to be erased."""
    erased: int = 0
    """Of these, such as were replaced or taken away."""
    unreadable: int = 0
    """Left as they are: their bytes are no event."""
    examples: list[str] = field(default_factory=list)
    """Ids of some of these."""
    rebuilt: Rebuilt | None = None
    complete: bool = False

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready, with stable keys."""
        return {
            "complete": self.complete,
            "dryRun": self.dry_run,
            "looked": self.looked,
            "found": self.found,
            "erased": self.erased,
            "unreadable": self.unreadable,
            "examples": self.examples,
            "rebuilt": self.rebuilt and self.rebuilt.as_dict(),
        }


class Eraser:
    """May be broken off and begun again with the same secret. Collectors may go on writing; what they write of the
    erased meanwhile is found by another run."""

    def __init__(
        self,
        stores: CompositeLineageStore,
        matcher: Matcher,
        secret: bytes,
        done: Erased,
        *,
        retry: RetryPolicy | None = None,
        clock: Clock | None = None,
        progress: Progress | None = None,
    ) -> None:
        self._stores, self._matcher, self._pseudonyms = stores, matcher, Pseudonyms(secret)
        self._done, self._retry = done, retry or RetryPolicy()
        self._clock = clock if clock is not None else SystemClock()
        self._progress: Progress = progress if progress is not None else lambda *_: None
        self._writes = WritePath(stores, self._retry, Pace(), Random())  # noqa: S311 - jitter

    async def run(self) -> None:
        """Raises TransientError, PermanentError or ConfigurationError: no store keeps events whole."""
        await self._stores.open()
        members = [member.store for member in self._stores.members.values()]
        able = [store for store in members if isinstance(store, Forgets)]
        names = tuple(store.name for store in members if store in able)
        removals = [Removals(store, self._clock) for store in able]
        if not self._done.dry_run:
            for each in removals:
                await each.begin()
        parties = [party for store in members if (party := party_of(store)) and party.documents is not None]
        if not parties:
            raise ConfigurationError(
                "lineage.store", [each.name for each in members], "a store that keeps events whole"
            )
        for store in members:
            await self._through(store, names, removals)
        if not self._done.dry_run and self._done.found:
            await self._rebuild(members)
        self._done.complete = True

    async def _through(self, store: LineageStoreProtocol, names: tuple[str, ...], removals: list[Removals]) -> None:
        party = party_of(store)
        if party is None or party.documents is None:
            return
        touched: list[tuple[str, ProjectedEvent | None]] = []
        size = 0
        async for event_id in party.ids.event_ids():
            self._done.looked += 1
            document = await party.documents.document(event_id)
            if document is None or (replaced := self._replaced(document)) is None:
                continue
            self._done.found += 1
            touched.append((event_id, replaced[0]))
            size += len(document.raw)
            if len(touched) == BATCH or size > _BYTES:
                await self._replace(touched, names, removals)
                touched, size = [], 0
            self._progress(f"look through {store.name}", self._done.looked, None)
        await self._replace(touched, names, removals)

    def _replaced(self, document: Document) -> tuple[ProjectedEvent | None] | None:
        """What takes the event's place, perhaps nothing; None: it is not touched."""
        try:
            body = loads_strict(document.raw)
            decode(document.raw)
        except InvalidEventError:
            self._done.unreadable += 1
            self._done.examples = [*self._done.examples, document.event_id][:_EXAMPLES]
            return None
        if not self._matcher.touches(body):
            return None
        left = skeleton(body, self._matcher, self._pseudonyms)
        if left is None:
            return (None,)
        event = from_dict(left)
        return (ProjectedEvent(event, project(event)),)

    async def _replace(
        self, touched: list[tuple[str, ProjectedEvent | None]], names: tuple[str, ...], removals: list[Removals]
    ) -> None:
        """First the skeletons are there, then the events go."""
        if self._done.dry_run or not touched:
            return
        batch = [event for _, event in touched if event is not None]
        report = await self._writes.write(batch, only=names)
        wrong = [error for each in report.failed.values() for error in each.values()]
        refused = [error for each in report.refused.values() for error in each.values()]
        if wrong or refused:
            raise TransientError(f"a skeleton could not be stored: {[*wrong, *refused][0]}")
        for each in removals:
            await each.take((), [event_id for event_id, _ in touched], REASON)
        self._done.erased += len(touched)

    async def _rebuild(self, members: list[LineageStoreProtocol]) -> None:
        self._done.rebuilt = Rebuilt()
        rebuilder = Rebuilder(
            self._stores, self._done.rebuilt, retry=self._retry, clock=self._clock, progress=self._progress
        )
        await rebuilder.run(graphs_of(members, None))
