"""One reader from two: documents from one store, the graph from another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol, TypeVar, runtime_checkable

from headwater.collector.stores.base import LineageStoreProtocol
from headwater.collector.stores.reading import Ask, DocumentReader, GraphReader, Reader
from headwater.collector.stores.rebuilding import RebuildMarker, SaysRebuilding

T = TypeVar("T")


@runtime_checkable
class Readable(Protocol):
    """A store that answers everything; it must be open."""

    def reader(self) -> Reader: ...


@runtime_checkable
class ReadableDocuments(Protocol):
    """A store that keeps events whole."""

    def document_reader(self) -> DocumentReader: ...


@runtime_checkable
class ReadableGraph(Protocol):
    """A store that keeps facts."""

    def graph_reader(self) -> GraphReader: ...


def chosen_for_reading(stores: Iterable[LineageStoreProtocol]) -> list[LineageStoreProtocol]:
    """The first store that can be read whole, else the first of documents and the first of facts, else none. They need
    not be open."""
    stores = list(stores)
    if whole := [store for store in stores if isinstance(store, Readable)]:
        return [whole[0]]
    documents = [store for store in stores if isinstance(store, ReadableDocuments)]
    graphs = [store for store in stores if isinstance(store, ReadableGraph)]
    return [documents[0], graphs[0]] if documents and graphs else []


def reader_of(stores: Iterable[LineageStoreProtocol]) -> Reader | None:
    """One reader of what ``chosen_for_reading`` chose; None if that is nothing. Raises TransientError if a store is not
    open."""
    match chosen_for_reading(stores):
        case [Readable() as whole]:
            return whole.reader()
        case [ReadableDocuments() as documents, ReadableGraph() as graph]:
            return CombinedReader(documents.document_reader(), graph.graph_reader())
    return None


@runtime_checkable
class ReadsAhead(Protocol):
    """A reader of facts that asks its server less often where it knows which fetches make one question."""

    def ahead(self) -> GraphReader:
        """For one question."""
        ...


class CombinedReader:
    """What ``Questions`` asks of documents goes to the one, all else to the other."""

    def __init__(self, documents: DocumentReader, graph: GraphReader) -> None:
        self._documents, self._graph = documents, graph
        self.document = documents.document
        self.list_documents = documents.list_documents
        self.count_documents = documents.count_documents
        self.count_by_type = documents.count_by_type
        self.runs = graph.runs
        self.run_rows = graph.run_rows
        self.list_runs = graph.list_runs
        self.count_runs = graph.count_runs
        self.latest_runs = graph.latest_runs
        self.claims = graph.claims
        self.claims_of_runs = graph.claims_of_runs
        self.history = graph.history
        self.current = graph.current
        self.next_commit = graph.next_commit
        self.marks = graph.marks
        self.reads = graph.reads
        self.readers = graph.readers
        self.count_commits = graph.count_commits
        self.wants = graph.wants
        self.want_links = graph.want_links
        self.links = graph.links
        self.carriers = graph.carriers
        self.listed = graph.listed
        self.drops = graph.drops
        self.job_edges = graph.job_edges
        self.edge_jobs = graph.edge_jobs
        self.job_edges_at = graph.job_edges_at
        self.search = graph.search
        self.seen_before = graph.seen_before
        self.datasets = graph.datasets
        self.jobs = graph.jobs
        self.list_jobs = graph.list_jobs
        self.list_datasets = graph.list_datasets
        self.namespaces = graph.namespaces
        self.namespace_facts = graph.namespace_facts
        self.span = graph.span
        self.sources = graph.sources
        self.unpublished = graph.unpublished
        self.base_lines = graph.base_lines

    async def whole(self, ask: Ask[T]) -> T:
        """See ``AsksWhole``. Two stores have no common moment: later fetches may see later writes."""
        graph = self._graph
        return await ask(CombinedReader(self._documents, graph.ahead()) if isinstance(graph, ReadsAhead) else self)

    async def rebuild_marker(self) -> RebuildMarker | None:
        """The graph's."""
        return await self._graph.rebuild_marker() if isinstance(self._graph, SaysRebuilding) else None

    async def counts(self) -> Mapping[str, int]:
        """Of both."""
        return {**await self._documents.counts(), **await self._graph.counts()}
