"""The ``sql`` store: documents and graph in one database, SQLite by default."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import orjson
from sqlalchemy import create_engine, event, make_url, select
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, ProgrammingError, SQLAlchemyError
from sqlalchemy.pool import QueuePool

from headwater.collector.stores.base import ProjectedEvent
from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.derived import Derivation
from headwater.collector.stores.sql.keys import name_key, run_key
from headwater.collector.stores.sql.merge import Merged
from headwater.collector.stores.sql.query import run_many
from headwater.collector.stores.sql.reader import SqlReader
from headwater.collector.stores.sql.symlinks import write_symlinks
from headwater.collector.stores.sql.upserts import DERIVED_RUN, Upserts, upserts_for
from headwater.shared import times
from headwater.shared.clock import Clock, SystemClock
from headwater.shared.errors import ConfigurationError, PermanentError, TransientError

DEFAULT_URL = "sqlite:///.headwater/headwater.db"
READ_THREADS = 4


class SqlLineageStore:
    """Keeps every event whole and the graph ready for questions; see ``LineageStoreProtocol`` for the write half.

    ``url`` is an SQLAlchemy URL (``sqlite:///relative`` or ``sqlite:////absolute``). One thread writes, a few read;
    SQLite runs in WAL mode, so readers never block the writer, other processes included. ``read_only`` opens an
    existing database without taking part in writing: for the command line beside a running collector.
    """

    def __init__(
        self, url: str = DEFAULT_URL, *, name: str = "sql", read_only: bool = False, clock: Clock | None = None
    ) -> None:
        self.name = name
        self._url = make_url(url)
        if self._url.get_backend_name() != "sqlite":
            raise ConfigurationError(
                "lineage.store.sql.url", self._url.render_as_string(), "must start with sqlite:///"
            )
        self._read_only = read_only
        self._clock = clock or SystemClock()
        self._writer: Engine | None = None
        self._readers: Engine | None = None
        self._write_thread = ThreadPoolExecutor(1, thread_name_prefix=f"headwater-{name}-write")
        self._read_threads = ThreadPoolExecutor(READ_THREADS, thread_name_prefix=f"headwater-{name}-read")

    async def open(self) -> None:
        """Makes the directory, the database and the tables where they are missing. Idempotent."""
        if self._readers is None:
            await self._in(self._write_thread, self._open)

    def _open(self) -> None:
        path = self._url.database
        if self._read_only and (not path or not Path(path).is_file()):
            raise ConfigurationError("lineage.store.sql.url", path, "no such database: collect some events first")
        if path and not self._read_only:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            self._writer = _engine(self._url, writing=True)
            with self._writer.begin() as connection:
                schema.metadata.create_all(connection)
                _check_version(connection, str(path))
        self._readers = _engine(self._url, writing=False)
        self._upserts = upserts_for(self._readers.dialect)

    async def write(self, batch: Sequence[ProjectedEvent]) -> None:
        """One transaction for the whole batch."""
        await self._in(self._write_thread, self._write, batch)

    def _write(self, batch: Sequence[ProjectedEvent]) -> None:
        if self._writer is None:
            raise PermanentError(f"store {self.name} is not open for writing")
        merged = Merged()
        for projected in batch:
            merged.add(projected.projection.facts)
        documents = [self._document(projected) for projected in batch]
        with self._writer.begin() as connection:
            _write_batch(connection, self._upserts, merged, documents)

    def _document(self, projected: ProjectedEvent) -> tuple[Any, ...]:
        said, problems = projected.event, projected.projection.problems
        return (
            bytes.fromhex(said.event_id),
            said.kind,
            said.event_time,
            run_key(said.run_id) if said.run_id else None,
            name_key(said.job) if said.job else None,
            times.now_text(self._clock),
            orjson.dumps([tuple(each) for each in problems]).decode() if problems else None,
            said.raw,
        )

    async def ping(self) -> None:
        """Takes and gives back the write lock."""
        await self._in(self._write_thread, self._ping)

    def _ping(self) -> None:
        if self._writer is None:
            raise TransientError(f"store {self.name} is not open")
        with self._writer.begin() as connection:
            connection.execute(select(schema.meta).limit(1)).all()

    def reader(self) -> SqlReader:
        """The read half; the store must be open."""
        if self._readers is None:
            raise TransientError(f"store {self.name} is not open")
        return SqlReader(self._readers, self._read_threads)

    async def close(self) -> None:
        """Idempotent."""
        for engine in (self._writer, self._readers):
            if engine is not None:
                engine.dispose()
        self._writer = self._readers = None
        self._write_thread.shutdown()
        self._read_threads.shutdown()

    async def _in(self, threads: ThreadPoolExecutor, work: Any, *args: Any) -> Any:
        try:
            return await asyncio.get_running_loop().run_in_executor(threads, work, *args)
        except (SQLAlchemyError, OSError) as error:
            raise classified(error, self.name) from error


def classified(error: Exception, store: str) -> TransientError | PermanentError:
    """Data that the engine will never take is permanent; all else (locked, full, gone) may work later."""
    permanent = isinstance(error, (DataError, IntegrityError, ProgrammingError)) or (
        isinstance(error, DBAPIError) and isinstance(error.orig, OverflowError)
    )
    kind = PermanentError if permanent else TransientError
    return kind(f"store {store}: {getattr(error, 'orig', None) or error}")


_NO_RUN = (None,) * len(DERIVED_RUN)
"""For rows of known runs: a conflict leaves the derived columns to ``Derivation.apply``."""


def _write_batch(
    connection: Connection, upserts: Upserts, merged: Merged, documents: Sequence[tuple[Any, ...]]
) -> None:
    derivation = Derivation(connection, upserts, merged)
    run_many(connection, upserts.document, documents)
    run_many(connection, upserts.job, [(key, *row) for key, row in merged.jobs.items()])
    run_many(connection, upserts.dataset, [(key, *row, False) for key, row in merged.datasets.items()])
    new = derivation.new
    derived = {key: run.columns for key, run in new.items()}
    pin_times = {key: run.pin_time for key, run in new.items()}
    run_many(connection, upserts.run, [(key, *row, *derived.get(key, _NO_RUN)) for key, row in merged.runs.items()])
    run_many(connection, upserts.run_state, list(merged.states))
    run_many(connection, upserts.run_io, [(*k, *times, pin_times.get(k[0])) for k, times in merged.io.items()])
    run_many(connection, upserts.facet_value, list(merged.values.items()))
    run_many(connection, upserts.facet, [(*key, *said) for key, said in merged.facets.items()])
    run_many(connection, upserts.design_io, [(*key, *said) for key, said in merged.design.items()])
    run_many(connection, upserts.lifecycle, [(*change, b"") for change in merged.lifecycle])
    derivation.apply()
    write_symlinks(connection, upserts, merged.symlinked)


def _check_version(connection: Connection, path: str) -> None:
    table = schema.meta
    found = connection.execute(select(table.c.value).where(table.c.name == "schema_version")).scalar()
    if found is None:
        connection.execute(table.insert().values(name="schema_version", value=str(schema.SCHEMA_VERSION)))
    elif found != str(schema.SCHEMA_VERSION):
        raise ConfigurationError(
            "lineage.store.sql.url",
            path,
            f"holds tables of version {found}, this headwater writes version {schema.SCHEMA_VERSION}: use a new "
            "directory and send the events again",
        )


def _engine(url: Any, *, writing: bool) -> Engine:
    # SQLAlchemy would let sqlite3 begin transactions by itself, late and without the write lock; we say BEGIN.
    engine = create_engine(
        url,
        poolclass=QueuePool,
        pool_size=1 if writing else READ_THREADS,
        max_overflow=0,
        connect_args={"check_same_thread": False, "timeout": 30, "cached_statements": 256},
    )

    @event.listens_for(engine, "connect")
    def _on_connect(connection: Any, _record: Any) -> None:
        connection.isolation_level = None
        for pragma in _WRITER_PRAGMAS if writing else _READER_PRAGMAS:
            connection.execute(pragma)

    @event.listens_for(engine, "begin")
    def _on_begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")

    return engine


_WRITER_PRAGMAS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",  # a commit is on the disk before the offset is
    "PRAGMA cache_size = -65536",
    "PRAGMA wal_autocheckpoint = 16000",  # 64 MB: pages that change in every batch are copied back less often
    "PRAGMA temp_store = MEMORY",
)
_READER_PRAGMAS = ("PRAGMA query_only = ON", "PRAGMA cache_size = -16384", "PRAGMA temp_store = MEMORY")
