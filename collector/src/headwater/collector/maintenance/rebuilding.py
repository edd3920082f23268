"""Throws graphs away and makes them again from the documents."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any, NamedTuple

from headwater.collector.maintenance.reconciling import Progress, Reconciler
from headwater.collector.maintenance.report import Report, Trouble
from headwater.collector.pipeline.letters import Failure
from headwater.collector.pipeline.prepare import Preparer
from headwater.collector.policy import RetryPolicy
from headwater.collector.projection import project
from headwater.collector.stores.base import LineageStoreProtocol, ProjectedEvent
from headwater.collector.stores.combined import Readable, ReadableDocuments, ReadableGraph
from headwater.collector.stores.composite import CompositeLineageStore
from headwater.collector.stores.reading import GraphReader
from headwater.collector.stores.rebuilding import FoldsItsOwn, Rebuildable, RebuildMarker, SaysRebuilding
from headwater.shared import times
from headwater.shared.clock import Clock, SystemClock
from headwater.shared.codec import decode
from headwater.shared.errors import ConfigurationError


@dataclass(slots=True)
class Rebuilt:
    """What came of it; grows while the work goes on."""

    resumed: dict[str, bool] = field(default_factory=dict)
    """By store: an interrupted rebuild went on."""
    folded: dict[str, int] = field(default_factory=dict)
    """Events folded, by store."""
    report: Report = field(default_factory=Report)
    """Of what could not be folded."""
    complete: bool = False

    @property
    def whole(self) -> bool:
        """Whether every document is in every graph."""
        troubles = self.report.unreadable or self.report.without_document or self.report.refused.total()
        return self.complete and not troubles

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready, with stable keys."""
        return {
            "complete": self.complete,
            "stores": {name: {"folded": self.folded.get(name, 0), "resumed": it} for name, it in self.resumed.items()},
            "unreadable": self.report.unreadable,
            "refused": self.report.refused.total(),
            "examples": self.report.as_dict()["examples"],
        }


class Graph(NamedTuple):
    """A store whose graph is rebuilt."""

    name: str
    store: LineageStoreProtocol
    graph: Rebuildable
    """The same object."""


def graphs_of(stores: Sequence[LineageStoreProtocol], names: Sequence[str] | None) -> list[Graph]:
    """The stores whose graph can be rebuilt, or those named. Raises ConfigurationError if there are none, or if no
    store has the documents."""
    found: list[Graph] = []
    for store in stores:
        if isinstance(store, Rebuildable) and (not names or store.name in names):
            sources = [each for each in stores if isinstance(each, (Readable, ReadableDocuments))]
            if not sources:
                raise ConfigurationError(
                    "lineage.store",
                    [each.name for each in stores],
                    "no store has the documents: nothing to rebuild from",
                )
            found.append(Graph(store.name, store, store))
    if not found:
        raise ConfigurationError("lineage.store", [each.name for each in stores], "none of these stores keeps a graph")
    return found


class Rebuilder:
    """Rebuilds graphs one after the other. Collectors may go on writing: what they write stays.

    A rebuild that was broken off goes on where it was, if this release began it; else it begins again.
    """

    def __init__(
        self,
        stores: CompositeLineageStore,
        done: Rebuilt,
        *,
        retry: RetryPolicy | None = None,
        clock: Clock | None = None,
        progress: Progress | None = None,
    ) -> None:
        """``stores``: not open yet, since a graph of another version cannot be opened."""
        self._stores, self._done = stores, done
        self._retry = retry
        self._clock = clock if clock is not None else SystemClock()
        self._progress: Progress = progress if progress is not None else lambda *_: None
        self._preparer = Preparer(decode, project)
        self._owner, self._release = uuid.uuid4().hex, version("headwater-collector")

    async def run(self, graphs: Sequence[Graph]) -> None:
        """Raises TransientError, PermanentError or ConfigurationError; what was begun is resumed by the next call."""
        names = [graph.name for graph in graphs]
        for name, member in self._stores.members.items():
            if name not in names:
                await member.open()  # before anything is thrown away
        for graph in graphs:
            await self._begin(graph)
        await self._stores.open()
        for graph in graphs:
            if isinstance(graph.graph, FoldsItsOwn):
                await self._fold_its_own(graph.name, graph.graph)
        await self._fold_from_others(names)
        for graph in graphs:
            await graph.graph.end_rebuild(self._owner)
        self._done.complete = True

    async def _begin(self, graph: Graph) -> None:
        marker = await interrupted(graph.store)
        goes_on = marker is not None and marker.emptied and marker.release == self._release
        self._done.resumed[graph.name] = goes_on
        if goes_on:
            await graph.graph.take_over(self._owner)
            return
        self._progress(f"empty {graph.name}", 0, None)
        await graph.graph.empty_graph(RebuildMarker(self._owner, self._release, times.now_text(self._clock)))

    async def _fold_its_own(self, name: str, graph: FoldsItsOwn) -> None:
        done = self._done
        total = (await graph.reader().counts())["events"] if isinstance(graph, Readable) else None
        while (step := await graph.fold_next(self._owner, self._prepared)).documents:
            done.folded[name] = done.folded.get(name, 0) + step.documents - len(step.unreadable)
            for event_id, reason in step.unreadable:
                done.report.unreadable += 1
                done.report.note("unreadable", Trouble(event_id, name, reason))
            self._progress(f"fold {name}", done.folded[name], total)

    def _prepared(self, raw: bytes) -> ProjectedEvent | str:
        prepared: list[ProjectedEvent] = []
        result = self._preparer.prepare_one(raw, {}, prepared)
        return f"{result.reason}: {result.error}" if isinstance(result, Failure) else prepared[0]

    async def _fold_from_others(self, names: list[str]) -> None:
        reconciler = Reconciler(
            self._stores, self._done.report, only=names, grace_s=0, retry=self._retry, progress=self._progress
        )
        try:
            await reconciler.run()
        finally:
            for name, count in self._done.report.repaired.items():
                self._done.folded[name] = self._done.folded.get(name, 0) + count


async def interrupted(store: LineageStoreProtocol) -> RebuildMarker | None:
    """The marker of a rebuild that is under way or was broken off, or None: there is none, or the graph is of another
    version, which its reader does not know. Opens the store."""
    try:
        await store.open()
    except ConfigurationError:
        return None
    reader = graph_reader_of(store)
    return await reader.rebuild_marker() if isinstance(reader, SaysRebuilding) else None


def graph_reader_of(store: object) -> GraphReader | None:
    """The facts of an open store, if it keeps any."""
    if isinstance(store, Readable):
        return store.reader()
    return store.graph_reader() if isinstance(store, ReadableGraph) else None
