"""SQLite in WAL mode: one thread writes, readers never block it, other processes included."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from sqlalchemy import create_engine, event, inspect, select
from sqlalchemy.engine import URL, Connection, Engine
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.pool import NullPool, QueuePool

from headwater.collector.merging.merge import Merged
from headwater.collector.stores.reading import Hit, Search
from headwater.collector.stores.sql import schema, search, tally
from headwater.collector.stores.sql.backends.base import DocumentRow
from headwater.collector.stores.sql.backends.guard import Guard
from headwater.collector.stores.sql.batch import write_batch
from headwater.collector.stores.sql.upserts import upserts_for
from headwater.collector.stores.sql.version import check_version
from headwater.shared.errors import ConfigurationError, PermanentError, TransientError

T = TypeVar("T")
READERS = 4
_LOOK_S: Final = 0.25
"""How long SQLite waits for another process' lock before the call looks whether it is given up."""


class SqliteBackend:
    """See ``Backend``. What takes time is another process' lock: a call waits for it until its deadline. Once it has
    the lock it is not cut off."""

    remedy = "headwater rebuild"
    remote = False
    errors: tuple[type[Exception], ...] = (SQLAlchemyError, sqlite3.Error, OverflowError, OSError)

    def __init__(self, url: URL, *, deadline_s: float) -> None:
        self._url = url
        self.deadline_s = deadline_s
        self.location = str(url.database)

    def check(self, *, read_only: bool) -> None:
        path = self._url.database
        if read_only and (not path or not Path(path).is_file()):
            raise ConfigurationError("lineage.store.sql.url", path, "no such database: collect some events first")
        if path and not read_only:
            Path(path).parent.mkdir(parents=True, exist_ok=True)

    def engine(self, *, writing: bool) -> Engine:
        wait_s = min(_LOOK_S, self.deadline_s) if writing else self.deadline_s
        # SQLAlchemy would let sqlite3 begin transactions by itself, late and without the write lock; we say BEGIN.
        engine = create_engine(
            self._url,
            poolclass=QueuePool,
            pool_size=1 if writing else READERS,
            max_overflow=0,
            connect_args={"check_same_thread": False, "timeout": wait_s, "cached_statements": 256},
        )

        @event.listens_for(engine, "connect")
        def _on_connect(connection: Any, _record: Any) -> None:
            try:
                connection.isolation_level = None
                for name, function in search.FUNCTIONS.items():
                    connection.create_function(name, 1, function, deterministic=True)
                for pragma in _WRITER_PRAGMAS if writing else _READER_PRAGMAS:
                    connection.execute(pragma)
            except sqlite3.Error:
                connection.close()  # the pool does not know it yet
                raise

        @event.listens_for(engine, "begin")
        def _on_begin(connection: Connection) -> None:
            connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")

        return engine

    def create_tables(self, connection: Connection) -> None:
        schema.metadata.create_all(connection)
        search.create(connection)
        tally.create(connection)

    def run(self, engine: Engine, work: Callable[[Connection], T], guard: Guard) -> T:
        while True:
            begun = False
            try:
                with engine.begin() as connection:
                    begun = True
                    return work(connection)
            except DBAPIError as error:
                if begun or guard.late or _code(error) != sqlite3.SQLITE_BUSY:
                    raise

    def onlooker(self) -> Engine | None:
        path = Path(self.location)
        if not path.is_file():
            return None
        place = f"{path.absolute().as_uri()}?mode=ro"
        return create_engine(
            "sqlite://",
            poolclass=NullPool,
            creator=lambda: sqlite3.connect(place, uri=True, timeout=self.deadline_s, check_same_thread=False),
        )

    def describe(self, connection: Connection) -> str:
        try:
            made = inspect(connection).has_table(schema.meta.name)
        except DBAPIError as error:
            if _code(error) not in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
                raise
            remedy = f"{error.orig}: restore a back-up, or move it away and send the events again"
            raise ConfigurationError("lineage.store.sql.url", self.location, remedy) from error
        if made:
            check_version(connection, self)
        tables = "tables are made" if made else "no tables yet; whoever writes first makes them"
        return f"SQLite {sqlite3.sqlite_version}, {self.location}, {tables}"

    def ping(self, connection: Connection) -> None:
        connection.execute(select(schema.meta).limit(1)).all()

    def write_batch(self, connection: Connection, merged: Merged, documents: Sequence[DocumentRow]) -> None:
        write_batch(connection, upserts_for(connection.dialect), merged, documents)

    def will_look_up(self, connection: Connection) -> None:
        """It plans so anyway."""

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


def _code(error: DBAPIError) -> int | None:
    """SQLite's own, without the details that it adds above."""
    code = getattr(error.orig, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


_WRITER_PRAGMAS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = FULL",  # a commit is on the disk before the offset is
    "PRAGMA cache_size = -65536",
    "PRAGMA wal_autocheckpoint = 16000",  # 64 MB: pages that change in every batch are copied back less often
    "PRAGMA temp_store = MEMORY",
)
_READER_PRAGMAS = (
    "PRAGMA query_only = ON",
    "PRAGMA cache_size = -16384",
    "PRAGMA mmap_size = 1073741824",  # a page that was read before by anybody is not copied again
    "PRAGMA temp_store = MEMORY",
)
