"""SQLite in WAL mode: one thread writes, readers never block it, other processes included."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import create_engine, event, select
from sqlalchemy.engine import URL, Connection, Engine
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.pool import QueuePool

from headwater.collector.stores.reading import Hit, Search
from headwater.collector.stores.sql import schema, search
from headwater.collector.stores.sql.backends.base import DocumentRow
from headwater.collector.stores.sql.backends.guard import Guard
from headwater.collector.stores.sql.batch import write_batch
from headwater.collector.stores.sql.merge import Merged
from headwater.collector.stores.sql.upserts import upserts_for
from headwater.collector.stores.sql.version import check_version
from headwater.shared.errors import ConfigurationError, PermanentError, TransientError

T = TypeVar("T")
READERS = 4


class SqliteBackend:
    """See ``Backend``. The lock wait is SQLite's own, 30 s."""

    remedy = "headwater rebuild"
    deadline_s: float | None = None
    errors: tuple[type[Exception], ...] = (SQLAlchemyError, sqlite3.Error, OverflowError, OSError)

    def __init__(self, url: URL) -> None:
        self._url = url
        self.location = str(url.database)

    def check(self, *, read_only: bool) -> None:
        path = self._url.database
        if read_only and (not path or not Path(path).is_file()):
            raise ConfigurationError("lineage.store.sql.url", path, "no such database: collect some events first")
        if path and not read_only:
            Path(path).parent.mkdir(parents=True, exist_ok=True)

    def engine(self, *, writing: bool) -> Engine:
        # SQLAlchemy would let sqlite3 begin transactions by itself, late and without the write lock; we say BEGIN.
        engine = create_engine(
            self._url,
            poolclass=QueuePool,
            pool_size=1 if writing else READERS,
            max_overflow=0,
            connect_args={"check_same_thread": False, "timeout": 30, "cached_statements": 256},
        )

        @event.listens_for(engine, "connect")
        def _on_connect(connection: Any, _record: Any) -> None:
            connection.isolation_level = None
            connection.create_function(search.FOLD, 1, search.fold, deterministic=True)
            for pragma in _WRITER_PRAGMAS if writing else _READER_PRAGMAS:
                connection.execute(pragma)

        @event.listens_for(engine, "begin")
        def _on_begin(connection: Connection) -> None:
            connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")

        return engine

    def create_tables(self, connection: Connection) -> None:
        schema.metadata.create_all(connection)
        search.create(connection)

    def run(self, engine: Engine, work: Callable[[Connection], T], guard: Guard) -> T:
        with engine.begin() as connection:
            return work(connection)

    def describe(self, connection: Connection) -> str:
        check_version(connection, self)
        return f"SQLite {sqlite3.sqlite_version}, {self.location}"

    def ping(self, connection: Connection) -> None:
        connection.execute(select(schema.meta).limit(1)).all()

    def write_batch(self, connection: Connection, merged: Merged, documents: Sequence[DocumentRow]) -> None:
        write_batch(connection, upserts_for(connection.dialect), merged, documents)

    def streaming(self, connection: Connection) -> Connection:
        return connection

    def search(self, connection: Connection, where: Search, limit: int, offset: int) -> tuple[int, list[Hit]]:
        return search.search(connection, where, limit, offset)

    def failure(self, error: Exception, store: str) -> TransientError | PermanentError:
        """Data that the engine will never take is permanent; all else (locked, full, gone) may work later."""
        cause = error.orig if isinstance(error, DBAPIError) and error.orig else error
        permanent = isinstance(
            cause, (sqlite3.DataError, sqlite3.IntegrityError, sqlite3.ProgrammingError, OverflowError)
        )
        return (PermanentError if permanent else TransientError)(f"store {store}: {cause}")


_WRITER_PRAGMAS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",  # a commit is on the disk before the offset is
    "PRAGMA cache_size = -65536",
    "PRAGMA wal_autocheckpoint = 16000",  # 64 MB: pages that change in every batch are copied back less often
    "PRAGMA temp_store = MEMORY",
)
_READER_PRAGMAS = ("PRAGMA query_only = ON", "PRAGMA cache_size = -16384", "PRAGMA temp_store = MEMORY")
