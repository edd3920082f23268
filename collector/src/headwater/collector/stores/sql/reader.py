"""Bulk reads from the tables; the contract is ``headwater.collector.stores.reading.Reader``."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from sqlalchemy.engine import Engine
from sqlalchemy.exc import SQLAlchemyError

from headwater.collector.stores.reading import (
    Claim,
    DatasetFacts,
    Document,
    Drop,
    EventFilter,
    JobEdge,
    JobFacts,
    Link,
    PinQuery,
    Read,
    ReadQuery,
    RunFacts,
    RunFilter,
    RunRow,
)
from headwater.collector.stores.sql import read_documents, read_entities, read_generations, read_runs
from headwater.collector.stores.sql.base_lines import base_lines
from headwater.shared.errors import TransientError
from headwater.shared.event import Name

T = TypeVar("T")


class SqlReader:
    """Reads in a few threads, each with a connection of its own."""

    def __init__(self, engine: Engine, threads: ThreadPoolExecutor) -> None:
        self._engine, self._threads = engine, threads

    async def _fetch(self, read: Callable[..., T], *args: Any) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, self._connected, read, args)
        except SQLAlchemyError as error:
            raise TransientError(f"the database cannot be read: {getattr(error, 'orig', None) or error}") from error

    def _connected(self, read: Callable[..., T], args: tuple[Any, ...]) -> T:
        with self._engine.connect() as connection:
            return read(connection, *args)

    async def runs(
        self, runs: Collection[str], *, io: bool = True, facets: Collection[str] | None = None
    ) -> dict[str, RunFacts]:
        return await self._fetch(read_runs.runs, runs, io, facets) if runs else {}

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

    async def reads(self, queries: Sequence[ReadQuery], limit: int) -> list[list[Read]]:
        return await self._fetch(read_generations.reads, queries, limit) if queries else []

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

    async def document(self, event_id: str) -> Document | None:
        return await self._fetch(read_documents.document, event_id)

    async def list_documents(self, where: EventFilter, limit: int, offset: int) -> list[Document]:
        return await self._fetch(read_documents.list_documents, where, limit, offset)

    async def count_documents(self, where: EventFilter) -> int:
        return await self._fetch(read_documents.count_documents, where)

    async def counts(self) -> Mapping[str, int]:
        return await self._fetch(read_documents.counts)

    async def base_lines(self) -> Iterable[bytes]:
        """Reads while it is iterated, in the iterating thread, in one snapshot."""
        return self._lines()

    def _lines(self) -> Iterator[bytes]:
        with self._engine.connect() as connection:
            yield from base_lines(connection)
