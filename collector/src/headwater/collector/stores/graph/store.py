"""The ``graph`` store: see ``schema`` for what it keeps."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from functools import partial
from random import Random
from typing import LiteralString, TypeVar

from neo4j import AsyncDriver, AsyncSession
from neo4j.exceptions import DriverError, Neo4jError

from headwater.collector.settings import ConnectionSettings
from headwater.collector.stores.base import ProjectedEvent
from headwater.collector.stores.deadline import within
from headwater.collector.stores.graph import connection as connecting
from headwater.collector.stores.graph import forgetting, rebuilding, schema
from headwater.collector.stores.graph.parts import parts_of
from headwater.collector.stores.graph.reader import Neo4jReader
from headwater.collector.stores.graph.transaction import Transaction
from headwater.collector.stores.graph.writing import write_batch
from headwater.collector.stores.rebuilding import RebuildMarker, overtaken
from headwater.shared.errors import ConfigurationError, PermanentError, TransientError

T = TypeVar("T")

_TRIES = 8
_FIRST_PAUSE_S = 0.02
_DRIVER_ERRORS = (Neo4jError, DriverError, OSError)


class Neo4jLineageStore:
    """Folds events into a property graph; keeps no event whole, so put it beside one that does. The write contract is
    that of ``LineageStoreProtocol``; several collectors may write at once.

    ``connection``: a server (``graph_connection_name`` in the settings) or a bare URI, ``bolt://`` or ``neo4j://``; its
    further keys are the driver's. ``parallel``: transactions that a large batch is divided into. ``deadline_s``: after
    it a call ends with TransientError, whatever the server does. The database should be headwater's own: labels are
    plain words such as ``Job`` and ``Run``.
    """

    reads_bodies = False
    remote = True

    def __init__(
        self,
        connection: ConnectionSettings | str | None = None,
        *,
        name: str = "graph",
        parallel: int = 2,
        deadline_s: float = 25.0,
        read_only: bool = False,
    ) -> None:
        """``read_only``: makes nothing when opened. Raises ConfigurationError."""
        self.name = name
        self._connection = connecting.connection_of(connection)
        self._parallel, self._deadline_s, self._read_only = parallel, deadline_s, read_only
        self._random = Random()  # noqa: S311 - jitter
        self._driver: AsyncDriver | None = None
        connecting.sync_driver(self._connection).close()  # a wrong URI is said now, not at the first event

    async def open(self) -> None:
        """Connects, checks the graph's version, makes constraints and indexes. Idempotent."""
        if self._driver is None:
            driver = connecting.async_driver(self._connection)
            try:
                await self._bounded(self._in_session(driver, self._prepare))
            except BaseException:
                await driver.close()
                raise
            self._driver = driver

    async def _prepare(self, session: AsyncSession) -> None:
        known = await _known_version(session)
        if known is not None:
            self._check_version(known)
        if not self._read_only:
            await schema.prepare(session)
            said = await (await session.run(schema.VERSION, version=schema.SCHEMA_VERSION)).single(strict=True)
            self._check_version(said["version"])

    def _check_version(self, version: int) -> None:
        if version != schema.SCHEMA_VERSION:
            raise ConfigurationError(
                connecting.KEY,
                self._connection.uri,
                f"holds a graph of version {version}, this headwater writes version {schema.SCHEMA_VERSION}: "
                "headwater rebuild",
            )

    async def write(self, batch: Sequence[ProjectedEvent]) -> None:
        """A transaction for each of ``parallel`` parts of the batch."""
        if batch:
            driver = self._opened()
            await self._bounded(self._write_parts(driver, parts_of(batch, self._parallel)))

    async def _write_parts(self, driver: AsyncDriver, parts: list[Sequence[ProjectedEvent]]) -> None:
        writes = [self._in_session(driver, partial(_write, batch=part)) for part in parts]
        for result in await asyncio.gather(*writes, return_exceptions=True):
            if result is not None:
                raise result

    async def ping(self) -> None:
        """A transaction that could write, and does not."""
        await self._bounded(self._in_session(self._opened(), _touch, tries=2))

    async def inspect(self) -> str:
        """See ``Inspectable``."""
        driver = connecting.async_driver(self._connection)
        try:
            return await self._bounded(self._look(driver))
        finally:
            await driver.close()

    async def _look(self, driver: AsyncDriver) -> str:
        product = (await driver.get_server_info()).agent.replace("/", " ")
        known = await self._in_session(driver, _known_version)
        if known is not None:
            self._check_version(known)
        graph = "no graph yet; whoever writes first makes it" if known is None else f"a graph of version {known}"
        return f"{product}, {graph}"

    def graph_reader(self) -> Neo4jReader:
        """The read half, without documents, see ``stores.combined``; the store must be open."""
        return Neo4jReader(self._opened(), self._connection, self.name, self._deadline_s)

    async def forget(self, runs: Collection[str], event_ids: Collection[str]) -> None:
        """See ``Forgets``."""
        await self._bounded(
            self._in_session(self._opened(), partial(forgetting.forget, runs=runs, event_ids=event_ids))
        )

    async def forget_statistics(self, runs: Collection[str]) -> int:
        """See ``Forgets``."""
        work = partial(forgetting.forget_statistics, runs=list(runs))
        return await self._bounded(self._in_session(self._opened(), work))

    async def empty_graph(self, marker: RebuildMarker) -> None:
        """See ``Rebuildable``. Many transactions; takes as long as it takes."""
        driver = connecting.async_driver(self._connection)
        try:
            if not await self._in_session(driver, partial(rebuilding.empty_graph, marker=marker)):
                raise PermanentError(overtaken(self.name))
        except _DRIVER_ERRORS as error:
            raise connecting.classified(error, self.name) from error
        finally:
            await driver.close()

    async def take_over(self, owner: str) -> None:
        """See ``Rebuildable``."""
        await self._marked(rebuilding.TAKE_OVER, owner)

    async def end_rebuild(self, owner: str) -> None:
        """See ``Rebuildable``."""
        await self._marked(rebuilding.END, owner)

    async def reset(self) -> None:
        """See ``Resettable``: deletes its nodes and what is tied to them; constraints and indexes stay."""
        driver = connecting.async_driver(self._connection)
        try:
            await self._in_session(driver, rebuilding.reset)
            await self._in_session(driver, self._prepare)
        except _DRIVER_ERRORS as error:
            raise connecting.classified(error, self.name) from error
        finally:
            await driver.close()

    async def _marked(self, statement: LiteralString, owner: str) -> None:
        async def run(session: AsyncSession) -> bool:
            return await (await session.run(statement, owner=owner)).single() is not None

        if not await self._bounded(self._in_session(self._opened(), run)):
            raise PermanentError(overtaken(self.name))

    async def close(self) -> None:
        """Idempotent."""
        driver, self._driver = self._driver, None
        if driver is not None:
            await driver.close()

    def _opened(self) -> AsyncDriver:
        if self._driver is None:
            raise TransientError(f"store {self.name} is not open")
        return self._driver

    async def _in_session(
        self, driver: AsyncDriver, work: Callable[[AsyncSession], Awaitable[T]], *, tries: int = _TRIES
    ) -> T:
        """The work in a session of its own, again with growing pauses where that may help at once."""
        pause_s = _FIRST_PAUSE_S
        while True:
            try:
                async with driver.session(database=self._connection.database) as session:
                    return await work(session)
            except _DRIVER_ERRORS as error:
                tries -= 1
                if connecting.is_down(error):
                    tries = min(tries, 1)  # a pooled connection may be a dead one; a second failure is the server's
                if tries <= 0 or not connecting.worth_another_try(error):
                    raise
            await asyncio.sleep(pause_s * self._random.uniform(0.5, 1.5))
            pause_s *= 2

    async def _bounded(self, work: Awaitable[T]) -> T:
        try:
            async with within(self._deadline_s, f"store {self.name}"):
                return await work
        except _DRIVER_ERRORS as error:
            raise connecting.classified(error, self.name) from error


async def _known_version(session: AsyncSession) -> int | None:
    found = await (await session.run(schema.KNOWN_VERSION)).single()
    return None if found is None else found["version"]


async def _write(session: AsyncSession, batch: Sequence[ProjectedEvent]) -> None:
    async with await session.begin_transaction() as transaction:
        await write_batch(Transaction(transaction), batch)
        await transaction.commit()


async def _touch(session: AsyncSession) -> None:
    await (await session.run("MATCH (m:HeadwaterMeta {name: 'schema'}) SET m.lock = true")).consume()
