"""One reader from two: documents from one store, the graph from another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol, runtime_checkable

from headwater.collector.stores.base import LineageStoreProtocol
from headwater.collector.stores.reading import DocumentReader, GraphReader, Reader


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


def reader_of(stores: Iterable[LineageStoreProtocol]) -> Reader | None:
    """The first store that can be read whole, else the first of documents with the first of facts, else None. Raises
    TransientError if a store is not open."""
    stores = list(stores)
    if whole := [store for store in stores if isinstance(store, Readable)]:
        return whole[0].reader()
    documents = [store for store in stores if isinstance(store, ReadableDocuments)]
    graphs = [store for store in stores if isinstance(store, ReadableGraph)]
    if documents and graphs:
        return CombinedReader(documents[0].document_reader(), graphs[0].graph_reader())
    return None


class CombinedReader:
    """What ``Questions`` asks of documents goes to the one, all else to the other."""

    def __init__(self, documents: DocumentReader, graph: GraphReader) -> None:
        self._documents, self._graph = documents, graph
        self.document = documents.document
        self.list_documents = documents.list_documents
        self.count_documents = documents.count_documents
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
        self.reads = graph.reads
        self.links = graph.links
        self.carriers = graph.carriers
        self.listed = graph.listed
        self.drops = graph.drops
        self.job_edges = graph.job_edges
        self.datasets = graph.datasets
        self.jobs = graph.jobs
        self.list_jobs = graph.list_jobs
        self.list_datasets = graph.list_datasets
        self.namespaces = graph.namespaces
        self.base_lines = graph.base_lines

    async def counts(self) -> Mapping[str, int]:
        """Of both."""
        return {**await self._documents.counts(), **await self._graph.counts()}
