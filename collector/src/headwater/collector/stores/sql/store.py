"""The ``sql`` store: documents and graph in one database, SQLite (the default) or PostgreSQL."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Concatenate, Final

from sqlalchemy.engine import Connection, Engine

from headwater.collector.merging.merge import Merged
from headwater.collector.stores.base import ProjectedEvent
from headwater.collector.stores.forgetting import DocumentRef
from headwater.collector.stores.rebuilding import Folded, Prepare, RebuildMarker
from headwater.collector.stores.sql import forgetting, rebuilding
from headwater.collector.stores.sql.backends import backend_of
from headwater.collector.stores.sql.backends.base import Backend
from headwater.collector.stores.sql.calling import Caller
from headwater.collector.stores.sql.documents import document_row
from headwater.collector.stores.sql.reader import SqlReader
from headwater.collector.stores.sql.trail import SqlTrail
from headwater.collector.stores.sql.version import check_version, stamp_version
from headwater.shared import times
from headwater.shared.clock import Clock, SystemClock
from headwater.shared.errors import PermanentError, TransientError

DEFAULT_URL = "sqlite:///.headwater/headwater.db"
READ_THREADS = 4
_EVENTS_A_SLICE: Final = 256
"""Merged on the event loop before others get their turn: a few milliseconds. In the write thread this would fight the
loop for the interpreter; so the thread has the database alone to do, which needs none."""
_PATIENCE_S: Final = 3600.0
DEFAULT_DEADLINE_S: Final = 25.0


class SqlLineageStore:
    """Keeps every event whole and the graph ready for questions; see ``LineageStoreProtocol`` for the write half.

    ``url``: ``sqlite:///relative``, ``sqlite:////absolute`` or ``postgresql://user@host/database``. One thread writes,
    a few read, and readers never block the writer, other processes included. Any number of processes may write to one
    PostgreSQL, and wait for each other only for the rows that they share. ``deadline_s``: after which a call to a
    server fails. ``read_only`` opens an existing database without taking part in writing: for the command line beside
    a running collector.
    """

    reads_bodies = False

    def __init__(
        self,
        url: str = DEFAULT_URL,
        *,
        name: str = "sql",
        deadline_s: float = DEFAULT_DEADLINE_S,
        read_only: bool = False,
        clock: Clock | None = None,
    ) -> None:
        """Connects nothing yet. Raises ConfigurationError."""
        self.name = name
        self._url = url
        self._backend = backend_of(url, name=name, deadline_s=deadline_s)
        self._read_only = read_only
        self._clock = clock or SystemClock()
        self._writer: Engine | None = None
        self._readers: Engine | None = None
        self._write_thread = ThreadPoolExecutor(1, thread_name_prefix=f"headwater-{name}-write")
        self._read_threads = ThreadPoolExecutor(READ_THREADS, thread_name_prefix=f"headwater-{name}-read")
        self._writing = Caller(self._backend, self._write_thread, name)
        self._reading = Caller(self._backend, self._read_threads, name)

    @property
    def remote(self) -> bool:
        """PostgreSQL is, SQLite is not."""
        return self._backend.remote

    async def open(self) -> None:
        """Makes directory, database (SQLite) and tables where they are missing. Idempotent."""
        if self._readers is not None:
            return
        backend = self._backend
        try:
            backend.check(read_only=self._read_only)
        except backend.errors as error:
            raise backend.failure(error, self.name) from error
        writer = None if self._read_only else backend.engine(writing=True)
        readers = backend.engine(writing=False)
        try:
            if writer is not None:
                await self._writing.call(writer, self._create)
            else:
                await self._reading.call(readers, check_version, backend)
        except BaseException:
            for engine in (writer, readers):
                if engine is not None:
                    engine.dispose()
            raise
        self._writer, self._readers = writer, readers

    def _create(self, connection: Connection) -> None:
        self._backend.create_tables(connection)
        stamp_version(connection, self._backend)

    async def write(self, batch: Sequence[ProjectedEvent]) -> None:
        """One transaction for the whole batch."""
        writer, merged, documents, received_at = self._open_writer(), Merged(), [], times.now_text(self._clock)
        for number, projected in enumerate(batch, 1):
            merged.add(projected.projection.facts)
            documents.append(document_row(projected, received_at))
            if number % _EVENTS_A_SLICE == 0:
                await asyncio.sleep(0)
        await self._writing.call(writer, self._backend.write_batch, merged, documents)

    async def ping(self) -> None:
        """SQLite: takes and gives back the write lock."""
        if self._writer is None:
            raise TransientError(f"store {self.name} is not open")
        await self._writing.call(self._writer, self._backend.ping)

    async def inspect(self) -> str:
        """See ``Inspectable``."""
        engine = self._backend.onlooker()
        if engine is None:
            return f"{self._backend.location}: no database yet; whoever writes first makes it"
        try:
            return await self._reading.call(engine, self._backend.describe)
        finally:
            engine.dispose()

    def reader(self) -> SqlReader:
        """The read half; the store must be open."""
        if self._readers is None:
            raise TransientError(f"store {self.name} is not open")
        return SqlReader(self._backend, self._readers, self._reading)

    def trail(self) -> SqlTrail:
        """See ``Sealable``; the store must be open."""
        if self._readers is None:
            raise TransientError(f"store {self.name} is not open")
        return SqlTrail(self._readers, self._reading, self._writer, self._writing)

    async def documents_of_runs(self, runs: Collection[str]) -> list[DocumentRef]:
        """See ``RefersDocuments``."""
        if self._readers is None:
            raise TransientError(f"store {self.name} is not open")
        return await self._reading.call(self._readers, forgetting.documents_of_runs, runs)

    async def forget(self, runs: Collection[str], event_ids: Collection[str]) -> None:
        """See ``Forgets``."""
        await self._writing.call(self._open_writer(), forgetting.forget, runs, event_ids)

    async def forget_statistics(self, runs: Collection[str]) -> int:
        """See ``Forgets``."""
        return await self._writing.call(self._open_writer(), forgetting.forget_statistics, runs)

    async def forget_unused_values(self) -> None:
        """Facet values that nothing says any more; on SQLite alone."""
        await self._writing.call(self._open_writer(), forgetting.forget_unused_values)

    async def empty_graph(self, marker: RebuildMarker) -> None:
        """See ``Rebuildable``. One transaction, which waits for those of others: an hour at most."""
        await self._patiently(rebuilding.empty_graph, marker)

    async def reset(self) -> None:
        """See ``Resettable``. One transaction; a file of SQLite's keeps its size."""
        await self._patiently(rebuilding.reset)

    async def _patiently(self, work: Callable[Concatenate[Connection, Backend, ...], None], *args: Any) -> None:
        patient = backend_of(self._url, name=self.name, deadline_s=_PATIENCE_S)
        patient.check(read_only=False)
        engine = patient.engine(writing=True)
        try:
            await Caller(patient, self._write_thread, self.name).call(engine, work, patient, *args)
        finally:
            engine.dispose()

    async def take_over(self, owner: str) -> None:
        """See ``Rebuildable``."""
        await self._writing.call(self._open_writer(), rebuilding.take_over, owner, self.name)

    async def end_rebuild(self, owner: str) -> None:
        """See ``Rebuildable``."""
        await self._writing.call(self._open_writer(), rebuilding.end_rebuild, owner, self.name)

    async def fold_next(self, owner: str, prepare: Prepare) -> Folded:
        """See ``FoldsItsOwn``."""
        work = rebuilding.fold_next
        return await self._writing.call(self._open_writer(), work, self._backend, owner, self.name, prepare)

    def _open_writer(self) -> Engine:
        if self._writer is None:
            raise PermanentError(f"store {self.name} is not open for writing")
        return self._writer

    async def close(self) -> None:
        """Idempotent."""
        for engine in (self._writer, self._readers):
            if engine is not None:
                engine.dispose()
        self._writer = self._readers = None
        self._write_thread.shutdown()
        self._read_threads.shutdown()
