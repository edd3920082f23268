"""Bulk reads from the graph; the contract is ``headwater.collector.stores.reading.GraphReader``."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeVar, cast

from neo4j import READ_ACCESS, AsyncDriver
from neo4j.exceptions import DriverError, Neo4jError

from headwater.collector.facts import Mark
from headwater.collector.settings import ConnectionSettings
from headwater.collector.stores.deadline import within
from headwater.collector.stores.graph import connection as connecting
from headwater.collector.stores.graph import marks as read_marks
from headwater.collector.stores.graph import (
    read_catalog,
    read_entities,
    read_generations,
    read_history,
    read_lists,
    read_runs,
    read_search,
)
from headwater.collector.stores.graph import wants as read_wants
from headwater.collector.stores.graph.ahead import ReadingAhead
from headwater.collector.stores.graph.base_lines import base_lines
from headwater.collector.stores.graph.fetching import Row
from headwater.collector.stores.graph.rebuilding import READ_MARKER
from headwater.collector.stores.reading import (
    Ask,
    Claim,
    DatasetFacts,
    Drop,
    GraphReader,
    Hit,
    JobEdge,
    JobFacts,
    Link,
    NamespaceFacts,
    PinQuery,
    Read,
    Reader,
    ReadQuery,
    RunFacts,
    RunFilter,
    RunRow,
    RunsPage,
    Search,
    SourceFacts,
    WantFacts,
    WantLinks,
    WantQuery,
)
from headwater.collector.stores.rebuilding import RebuildMarker
from headwater.shared.errors import TransientError
from headwater.shared.event import Name

T = TypeVar("T")


class Neo4jReader:
    """Each fetch is a transaction of its own, so a question that takes several may see writes between them: the server
    offers no view of one moment."""

    def __init__(self, driver: AsyncDriver, connection: ConnectionSettings, store: str, deadline_s: float) -> None:
        self._driver, self._connection, self._store, self._deadline_s = driver, connection, store, deadline_s

    async def _fetch(self, statement: str, **parameters: Any) -> list[Row]:
        try:
            async with within(self._deadline_s, f"store {self._store}"):
                for last in (False, True):  # the first may have met a connection that died in the pool
                    try:
                        return await self._run(statement, parameters)
                    except DriverError as error:
                        if last or not error.is_retryable():
                            raise
        except (Neo4jError, DriverError, OSError) as error:
            raise TransientError(f"store {self._store} cannot be read: {error}") from error
        raise AssertionError("returned or raised")

    async def _run(self, statement: str, parameters: dict[str, Any]) -> list[Row]:
        database = self._connection.database
        async with self._driver.session(database=database, default_access_mode=READ_ACCESS) as session:
            result = await session.run(statement, parameters)
            return (await result.single(strict=True))[0]  # type: ignore[no-any-return]

    async def whole(self, ask: Ask[T]) -> T:
        """See ``AsksWhole``: fewer statements than fetch by fetch, see ``ReadingAhead``. Without documents."""
        return await ask(cast(Reader, self.ahead()))

    def ahead(self) -> GraphReader:
        """See ``combined.ReadsAhead``."""
        return cast(GraphReader, ReadingAhead(self, self._fetch))

    async def runs(
        self,
        runs: Collection[str],
        *,
        io: bool = True,
        facets: Collection[str] | None = None,
        described: Collection[str] | None = None,
    ) -> dict[str, RunFacts]:
        return await read_runs.runs(self._fetch, runs, io, facets, described)

    async def run_rows(self, runs: Collection[str]) -> dict[str, RunRow]:
        return await read_runs.run_rows(self._fetch, runs)

    async def list_runs(self, where: RunFilter, limit: int) -> list[RunRow]:
        return await read_runs.list_runs(self._fetch, where, limit)

    async def count_runs(self, where: RunFilter) -> int:
        return await read_runs.count_runs(self._fetch, where)

    async def latest_runs(self, jobs: Collection[Name], each: int) -> dict[Name, list[RunRow]]:
        return await read_runs.latest_runs(self._fetch, jobs, each)

    async def claims(self, generations: Collection[tuple[Name, str]]) -> list[Claim]:
        return await read_generations.claims(self._fetch, generations)

    async def claims_of_runs(self, runs: Collection[str]) -> list[Claim]:
        return await read_generations.claims_of_runs(self._fetch, runs)

    async def history(
        self, members: Sequence[Name], *, committed: bool, limit: int, before: tuple[str, str] | None = None
    ) -> list[Claim]:
        return await read_generations.history(self._fetch, members, committed, limit, before)

    async def current(self, pins: Sequence[PinQuery]) -> list[Claim | None]:
        return await read_generations.current(self._fetch, pins)

    async def next_commit(self, members: Sequence[Name], after: tuple[str, str], run: str) -> Claim | None:
        return await read_generations.next_commit(self._fetch, members, after, run)

    async def marks(self, generations: Collection[tuple[Name, str]]) -> list[Mark]:
        return await read_marks.marks(self._fetch, generations)

    async def reads(self, queries: Sequence[ReadQuery], limit: int) -> list[list[Read]]:
        return await read_generations.reads(self._fetch, queries, limit)

    async def readers(self, query: ReadQuery, limit: int, after: tuple[str, str] | None = None) -> RunsPage:
        return await read_generations.readers(self._fetch, query, limit, after)

    async def count_commits(self, members: Collection[Name], before: tuple[str, str]) -> int:
        return await read_generations.count_commits(self._fetch, members, before)

    async def wants(self, wants: Collection[str]) -> dict[str, WantFacts]:
        return await read_wants.wants(self._fetch, wants)

    async def want_links(self, queries: Sequence[WantQuery], limit: int) -> list[WantLinks]:
        return await read_wants.want_links(self._fetch, queries, limit)

    async def links(self, datasets: Collection[Name]) -> list[Link]:
        return await read_entities.links(self._fetch, datasets)

    async def carriers(self, datasets: Collection[Name]) -> set[Name]:
        return await read_entities.carriers(self._fetch, datasets)

    async def listed(self, datasets: Collection[Name]) -> set[Name]:
        return await read_generations.listed(self._fetch, datasets)

    async def drops(self, datasets: Collection[Name]) -> list[Drop]:
        return await read_entities.drops(self._fetch, datasets)

    async def job_edges(self, jobs: Collection[Name], datasets: Collection[Name]) -> list[JobEdge]:
        return await read_entities.job_edges(self._fetch, jobs, datasets)

    async def edge_jobs(self, datasets: Collection[Name]) -> set[Name]:
        return await read_history.edge_jobs(self._fetch, datasets)

    async def job_edges_at(self, jobs: Collection[Name], at: str, max_runs: int) -> list[JobEdge]:
        return await read_history.job_edges_at(self._fetch, jobs, at, max_runs)

    async def search(self, where: Search, limit: int, offset: int) -> tuple[int, list[Hit]]:
        return await read_search.search(self._fetch, where, limit, offset)

    async def seen_before(self, kind: Literal["job", "dataset"], times: Sequence[str]) -> list[int]:
        return await read_history.seen_before(self._fetch, kind, times)

    async def datasets(self, names: Collection[Name]) -> dict[Name, DatasetFacts]:
        return await read_entities.datasets(self._fetch, names)

    async def jobs(self, names: Collection[Name]) -> dict[Name, JobFacts]:
        return await read_entities.jobs(self._fetch, names)

    async def list_jobs(self, namespace: str | None, limit: int, offset: int) -> tuple[int, list[Name]]:
        return await read_lists.list_jobs(self._fetch, namespace, limit, offset)

    async def list_datasets(self, namespace: str | None, limit: int, offset: int) -> tuple[int, list[Name]]:
        return await read_lists.list_datasets(self._fetch, namespace, limit, offset)

    async def namespaces(self) -> dict[str, tuple[str, str]]:
        return await read_entities.namespaces(self._fetch)

    async def namespace_facts(self, names: Collection[str] | None = None) -> list[NamespaceFacts]:
        return await read_catalog.namespace_facts(self._fetch, names)

    async def span(self, namespace: str) -> tuple[str, str] | None:
        return await read_catalog.span(self._fetch, namespace)

    async def sources(self) -> list[SourceFacts]:
        return await read_catalog.sources(self._fetch)

    async def unpublished(self, datasets: Collection[Name]) -> set[Name]:
        return await read_catalog.unpublished(self._fetch, datasets)

    async def counts(self) -> Mapping[str, int]:
        """runs, jobs, datasets, generations."""
        return await read_entities.counts(self._fetch)

    async def base_lines(self) -> Iterable[bytes]:
        """Reads while it is iterated, in the iterating thread."""
        return self._lines()

    def _lines(self) -> Iterator[bytes]:
        try:
            with connecting.sync_driver(self._connection) as driver:
                yield from base_lines(driver, self._connection.database)
        except (Neo4jError, DriverError, OSError) as error:
            raise TransientError(f"store {self._store} cannot be read: {error}") from error

    async def rebuild_marker(self) -> RebuildMarker | None:
        """See ``rebuilding.SaysRebuilding``."""
        rows = await self._fetch(READ_MARKER)
        return RebuildMarker(*rows[0]) if rows else None

    async def event_ids(self) -> AsyncIterator[str]:
        """Every event whose facts are in the graph, see ``auditing.EventIds``."""
        after = ""
        while rows := await self._fetch(_EVENT_IDS, after=after, limit=_IDS):
            for row in rows:
                yield row[0]
            after = rows[-1][0]

    async def known_events(self, event_ids: Collection[str]) -> set[str]:
        """Those whose facts are in the graph."""
        rows = await self._fetch(_KNOWN_EVENTS, rows=list(event_ids))
        return {row[0] for row in rows}


_IDS = 10_000
"""Event ids in one fetch."""
_KNOWN_EVENTS = "UNWIND $rows AS row MATCH (e:Event {id: row}) RETURN collect([row])"
_EVENT_IDS = "MATCH (e:Event) WHERE e.id > $after WITH e ORDER BY e.id LIMIT $limit RETURN collect([e.id])"
