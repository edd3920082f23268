"""Bulk reads from the tables; the contract is ``headwater.collector.stores.reading.Reader``."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Iterable, Iterator, Mapping, Sequence
from typing import Any, Concatenate, Literal, ParamSpec, TypeVar

from sqlalchemy.engine import Connection, Engine

from headwater.collector.facts import Mark
from headwater.collector.stores.reading import (
    Ask,
    Claim,
    DatasetFacts,
    Document,
    Drop,
    EventFilter,
    Hit,
    JobEdge,
    JobFacts,
    Link,
    NamespaceFacts,
    PinQuery,
    Read,
    ReadQuery,
    RunFacts,
    RunFilter,
    RunRow,
    RunsPage,
    Search,
    Seen,
    SourceFacts,
    WantFacts,
    WantLinks,
    WantQuery,
    Watch,
)
from headwater.collector.stores.rebuilding import RebuildMarker
from headwater.collector.stores.sql import (
    read_catalog,
    read_documents,
    read_entities,
    read_generations,
    read_history,
    read_marks,
    read_runs,
    read_wants,
    touched,
)
from headwater.collector.stores.sql.ahead import Ahead
from headwater.collector.stores.sql.backends.base import Backend
from headwater.collector.stores.sql.backends.guard import Guard
from headwater.collector.stores.sql.base_lines import base_lines
from headwater.collector.stores.sql.calling import Caller
from headwater.collector.stores.sql.rebuilding import read_marker
from headwater.collector.stores.sql.seldom import Seldom, seldom
from headwater.shared.errors import PermanentError, TransientError
from headwater.shared.event import Name

P = ParamSpec("P")
T = TypeVar("T")

_IDS = 10_000
"""Event ids in one fetch."""


class SqlReader:
    """Reads in a few threads, each with a connection of its own."""

    def __init__(self, backend: Backend, engine: Engine, caller: Caller) -> None:
        self._backend, self._engine, self._caller = backend, engine, caller

    async def _fetch(self, read: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return await self._caller.call(self._engine, read, *args, **kwargs)
        except PermanentError as error:
            raise TransientError(f"the database cannot be read: {error}") from error

    async def whole(self, ask: Ask[T]) -> T:
        """See ``AsksWhole``: in one thread and one transaction."""

        def work(connection: Connection, guard: Guard) -> T:
            known = self._backend.will_look_up(connection)
            guard.rests()
            try:
                return finished(ask(_View(self._backend, self._engine, self._caller, connection, guard, known)))
            finally:
                guard.asks()  # what ends the transaction

        try:
            return await self._caller.converse(self._engine, work)
        except PermanentError as error:
            raise TransientError(f"the database cannot be read: {error}") from error

    async def runs(
        self,
        runs: Collection[str],
        *,
        io: bool = True,
        facets: Collection[str] | None = None,
        described: Collection[str] | None = None,
    ) -> dict[str, RunFacts]:
        return await self._fetch(read_runs.runs, runs, io, facets, described) if runs else {}

    async def run_rows(self, runs: Collection[str]) -> dict[str, RunRow]:
        return await self._fetch(read_runs.run_rows, runs) if runs else {}

    async def list_runs(self, where: RunFilter, limit: int) -> list[RunRow]:
        return await self._fetch(read_runs.list_runs, where, limit)

    async def count_runs(self, where: RunFilter) -> int:
        return await self._fetch(read_runs.count_runs, where)

    async def latest_runs(self, jobs: Collection[Name], each: int) -> dict[Name, list[RunRow]]:
        return await self._fetch(read_runs.latest_runs, jobs, each) if jobs else {}

    async def claims(self, generations: Collection[tuple[Name, str]]) -> list[Claim]:
        return await self._fetch(read_generations.claims, generations) if generations else []

    async def claims_of_runs(self, runs: Collection[str]) -> list[Claim]:
        return await self._fetch(read_generations.claims_of_runs, runs) if runs else []

    async def history(
        self, members: Sequence[Name], *, committed: bool, limit: int, before: tuple[str, str] | None = None
    ) -> list[Claim]:
        return await self._fetch(read_generations.history, members, committed, limit, before)

    async def current(self, pins: Sequence[PinQuery]) -> list[Claim | None]:
        return await self._fetch(read_generations.current, pins) if pins else []

    async def next_commit(self, members: Sequence[Name], after: tuple[str, str], run: str) -> Claim | None:
        return await self._fetch(read_generations.next_commit, members, after, run)

    async def marks(self, generations: Collection[tuple[Name, str]]) -> list[Mark]:
        return await self._fetch(read_marks.marks, generations) if generations else []

    async def reads(self, queries: Sequence[ReadQuery], limit: int) -> list[list[Read]]:
        return await self._fetch(read_generations.reads, queries, limit) if queries else []

    async def readers(self, query: ReadQuery, limit: int, after: tuple[str, str] | None = None) -> RunsPage:
        return await self._fetch(read_wants.readers, query, limit, after)

    async def count_commits(self, members: Collection[Name], before: tuple[str, str]) -> int:
        return await self._fetch(read_wants.count_commits, members, before)

    async def wants(self, wants: Collection[str]) -> dict[str, WantFacts]:
        return await self._fetch(read_wants.wants, wants) if wants else {}

    async def want_links(self, queries: Sequence[WantQuery], limit: int) -> list[WantLinks]:
        return await self._fetch(read_wants.want_links, queries, limit) if queries else []

    async def links(self, datasets: Collection[Name]) -> list[Link]:
        return await self._fetch(read_entities.links, datasets) if datasets else []

    async def carriers(self, datasets: Collection[Name]) -> set[Name]:
        return await self._fetch(read_entities.carriers, datasets) if datasets else set()

    async def listed(self, datasets: Collection[Name]) -> set[Name]:
        return await self._fetch(read_generations.listed, datasets) if datasets else set()

    async def drops(self, datasets: Collection[Name]) -> list[Drop]:
        return await self._fetch(read_entities.drops, datasets) if datasets else []

    async def job_edges(self, jobs: Collection[Name], datasets: Collection[Name]) -> list[JobEdge]:
        return await self._fetch(read_entities.job_edges, jobs, datasets) if jobs or datasets else []

    async def edge_jobs(self, datasets: Collection[Name]) -> set[Name]:
        return await self._fetch(read_history.edge_jobs, datasets) if datasets else set()

    async def job_edges_at(self, jobs: Collection[Name], at: str, max_runs: int) -> list[JobEdge]:
        return await self._fetch(read_history.job_edges_at, jobs, at, max_runs) if jobs else []

    async def search(self, where: Search, limit: int, offset: int) -> tuple[int, list[Hit]]:
        return await self._fetch(self._backend.search, where, limit, offset)

    async def seen_before(self, kind: Literal["job", "dataset"], times: Sequence[str]) -> list[int]:
        return await self._fetch(read_history.seen_before, kind, times)

    async def datasets(self, names: Collection[Name]) -> dict[Name, DatasetFacts]:
        return await self._fetch(read_entities.datasets, names) if names else {}

    async def jobs(self, names: Collection[Name]) -> dict[Name, JobFacts]:
        return await self._fetch(read_entities.jobs, names) if names else {}

    async def list_jobs(self, namespace: str | None, limit: int, offset: int) -> tuple[int, list[Name]]:
        return await self._fetch(read_entities.list_jobs, namespace, limit, offset)

    async def list_datasets(self, namespace: str | None, limit: int, offset: int) -> tuple[int, list[Name]]:
        return await self._fetch(read_entities.list_datasets, namespace, limit, offset)

    async def namespaces(self) -> dict[str, tuple[str, str]]:
        return await self._fetch(read_entities.namespaces)

    async def namespace_facts(self, names: Collection[str] | None = None) -> list[NamespaceFacts]:
        return await self._fetch(read_catalog.namespace_facts, names)

    async def span(self, namespace: str) -> tuple[str, str] | None:
        return await self._fetch(read_catalog.span, namespace)

    async def sources(self) -> list[SourceFacts]:
        return await self._fetch(read_catalog.sources)

    async def unpublished(self, datasets: Collection[Name]) -> set[Name]:
        return await self._fetch(read_catalog.unpublished, datasets) if datasets else set()

    async def document(self, event_id: str) -> Document | None:
        return await self._fetch(read_documents.document, event_id)

    async def list_documents(self, where: EventFilter, limit: int, offset: int) -> list[Document]:
        return await self._fetch(read_documents.list_documents, where, limit, offset)

    async def count_by_type(self, bounds: Sequence[str]) -> list[dict[str, int]]:
        return await self._fetch(read_documents.count_by_type, bounds)

    async def count_documents(self, where: EventFilter) -> int:
        return await self._fetch(read_documents.count_documents, where)

    async def event_ids(self) -> AsyncIterator[str]:
        """Every event, see ``auditing.EventIds``: documents and facts are written in one transaction."""
        after = ""
        while some := await self._fetch(read_documents.event_ids, after, _IDS):
            for event_id in some:
                yield event_id
            after = some[-1]

    async def known_events(self, event_ids: Collection[str]) -> set[str]:
        return await self._fetch(read_documents.known_events, event_ids) if event_ids else set()

    async def watch(self, seen: Sequence[Seen]) -> list[Watch]:
        """See ``Watches``."""
        return await self._fetch(touched.watch, seen) if seen else []

    async def unchanged(self, watched: Sequence[Watch]) -> list[bool]:
        return await self._fetch(touched.unchanged, watched) if watched else []

    async def rebuild_marker(self) -> RebuildMarker | None:
        """See ``rebuilding.SaysRebuilding``."""
        return await self._fetch(read_marker)

    async def counts(self) -> Mapping[str, int]:
        return await self._fetch(read_documents.counts)

    async def base_lines(self) -> Iterable[bytes]:
        """Reads while it is iterated, in the iterating thread, in one snapshot."""
        return self._lines()

    def _lines(self) -> Iterator[bytes]:
        try:
            with self._engine.begin() as connection:
                yield from base_lines(self._backend.streaming(connection))
        except self._backend.errors as error:
            raise TransientError(f"the database cannot be read: {error}") from error


class _View(SqlReader):
    """Reads within a transaction that is there, in the thread that it is called in."""

    def __init__(
        self,
        backend: Backend,
        engine: Engine,
        caller: Caller,
        connection: Connection,
        guard: Guard,
        known: Seldom | None,
    ) -> None:
        super().__init__(backend, engine, caller)
        self._connection, self._guard = connection, guard
        self._known = known
        self._ahead = Ahead(eager=backend.remote)

    async def _seldom(self) -> Seldom:
        if self._known is None:
            self._known = await self._fetch(seldom)
        return self._known

    async def links(self, datasets: Collection[Name]) -> list[Link]:
        return await super().links(datasets) if (await self._seldom()).linked else []

    async def marks(self, generations: Collection[tuple[Name, str]]) -> list[Mark]:
        return await super().marks(generations) if (await self._seldom()).marked else []

    async def runs(
        self,
        runs: Collection[str],
        *,
        io: bool = True,
        facets: Collection[str] | None = None,
        described: Collection[str] | None = None,
    ) -> dict[str, RunFacts]:
        return await self._fetch(self._ahead.runs, runs, io, facets, described) if runs else {}

    async def claims_of_runs(self, runs: Collection[str]) -> list[Claim]:
        return await self._fetch(self._ahead.claims_of_runs, runs) if runs else []

    async def current(self, pins: Sequence[PinQuery]) -> list[Claim | None]:
        return await self._fetch(read_generations.current, pins, self._ahead.claims) if pins else []

    async def datasets(self, names: Collection[Name]) -> dict[Name, DatasetFacts]:
        return await self._fetch(self._ahead.datasets, names) if names else {}

    async def drops(self, datasets: Collection[Name]) -> list[Drop]:
        return await self._fetch(self._ahead.drops, datasets) if datasets else []

    async def unpublished(self, datasets: Collection[Name]) -> set[Name]:
        return await self._fetch(self._ahead.unpublished, datasets) if datasets else set()

    async def _fetch(self, read: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        if self._guard.late:
            raise TransientError("the question was given up")
        self._guard.asks()
        found = read(self._connection, *args, **kwargs)
        self._guard.rests()
        return found

    async def whole(self, ask: Ask[T]) -> T:
        return await ask(self)


def finished(asked: Coroutine[Any, Any, T]) -> T:
    """What a coroutine returns that waits for nothing."""
    try:
        asked.send(None)
    except StopIteration as done:
        found: T = done.value
        return found
    asked.close()
    raise RuntimeError("a question may wait for its reader alone")
