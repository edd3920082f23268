"""PostgreSQL behind ``Backend``."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

import psycopg
from sqlalchemy import inspect, select, text
from sqlalchemy.engine import URL, Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from headwater.collector.merging.merge import Merged
from headwater.collector.stores.reading import Hit, Search
from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.asking import look_up
from headwater.collector.stores.sql.backends.base import DocumentRow
from headwater.collector.stores.sql.backends.guard import Guard
from headwater.collector.stores.sql.backends.postgres import failures
from headwater.collector.stores.sql.backends.postgres.connecting import READERS, make_engine
from headwater.collector.stores.sql.backends.postgres.search import search
from headwater.collector.stores.sql.backends.postgres.search_tables import create_search
from headwater.collector.stores.sql.backends.postgres.statements import BulkUpserts
from headwater.collector.stores.sql.backends.postgres.tables import create_tables
from headwater.collector.stores.sql.backends.postgres.tally import create_tally
from headwater.collector.stores.sql.backends.postgres.writing import write_batch
from headwater.collector.stores.sql.seldom import SELDOM, VALUES, Seldom, seldom_of
from headwater.collector.stores.sql.version import check_version
from headwater.shared.errors import ConfigurationError, PermanentError, TransientError

T = TypeVar("T")
TRIES: Final = READERS + 2
"""Of a transaction that was another's victim in a deadlock, or whose pooled connections were dead, each of them."""
MAX_PAUSE_S: Final = 0.2


class PostgresBackend:
    """See ``Backend``. Any number of collectors write at once."""

    remedy = "headwater rebuild"
    remote = True
    errors: tuple[type[Exception], ...] = (
        SQLAlchemyError,
        psycopg.Error,
        OverflowError,
        OSError,
        UnicodeEncodeError,
    )

    def __init__(self, url: URL, *, name: str, deadline_s: float) -> None:
        self._url, self._name = url, name
        self.deadline_s = deadline_s
        self._statement_s = max(deadline_s - 1.0, deadline_s / 2)  # the server gives up first, where it can
        self.location = url.render_as_string(hide_password=True)
        self._upserts: BulkUpserts | None = None

    def check(self, *, read_only: bool) -> None:
        """Only the server can tell."""

    def engine(self, *, writing: bool) -> Engine:
        return make_engine(
            self._url, application=f"headwater {self._name}", writing=writing, timeout_s=self._statement_s
        )

    def create_tables(self, connection: Connection) -> None:
        encoding = connection.execute(text("SELECT current_setting('server_encoding')")).scalar()
        if encoding != "UTF8":
            raise ConfigurationError(
                "lineage.store.sql.url", self.location, f"the database's encoding is {encoding}: make one with UTF8"
            )
        create_tables(connection)
        create_search(connection)
        create_tally(connection)

    def run(self, engine: Engine, work: Callable[[Connection], T], guard: Guard) -> T:
        for tries_left in reversed(range(TRIES)):
            try:
                return self._once(engine, work, guard)
            except (SQLAlchemyError, psycopg.Error) as error:
                if guard.late:
                    raise TransientError(
                        f"store {self._name}: the server did not answer within {self.deadline_s:g} s"
                    ) from error
                victim = failures.worth_another_try(error)
                if not tries_left or not (victim or isinstance(error, _StaleConnection)):
                    raise
            if victim:
                time.sleep(random.uniform(0.0, MAX_PAUSE_S))  # noqa: S311
        raise AssertionError("unreachable")

    def _once(self, engine: Engine, work: Callable[[Connection], T], guard: Guard) -> T:
        with guard, engine.connect() as connection:
            raw = connection.connection.driver_connection
            assert raw is not None
            used = bool(connection.info.get(_USED))
            try:
                guard.hold(raw)
                with connection.begin():
                    result = work(connection)
            except (SQLAlchemyError, psycopg.Error) as error:
                if raw.closed or failures.is_broken(error):
                    connection.invalidate()
                    if used:  # it broke while it lay in the pool, or the server went: another one will tell
                        raise _StaleConnection(str(failures.cause_of(error))) from error
                raise
            connection.info[_USED] = True
            return result

    def write_batch(self, connection: Connection, merged: Merged, documents: Sequence[DocumentRow]) -> None:
        if self._upserts is None:
            self._upserts = BulkUpserts(connection.dialect)
        write_batch(connection, self._upserts, merged, documents)

    def onlooker(self) -> Engine:
        return self.engine(writing=False)

    def describe(self, connection: Connection) -> str:
        version = connection.execute(text("SELECT current_setting('server_version')")).scalar_one()
        made = inspect(connection).has_table(schema.meta.name)
        if made:
            check_version(connection, self)
        tables = "tables are made" if made else "no tables yet; whoever writes first makes them"
        return f"PostgreSQL {version.split()[0]}, {self.location}, {tables}"

    def ping(self, connection: Connection) -> None:
        connection.execute(select(schema.meta).limit(1)).all()
        if connection.execute(text("SELECT pg_is_in_recovery()")).scalar():
            raise TransientError(f"store {self._name}: the server is a standby and takes no writes")

    def search(self, connection: Connection, where: Search, limit: int, offset: int) -> tuple[int, list[Hit]]:
        return search(connection, where, limit, offset)

    def will_look_up(self, connection: Connection) -> Seldom:
        return seldom_of(look_up(connection, *SELDOM.asked(connection.dialect, VALUES))[0][0])

    def streaming(self, connection: Connection) -> Connection:
        return connection.execution_options(stream_results=True, max_row_buffer=2_000)

    def failure(self, error: Exception, store: str) -> TransientError | PermanentError:
        return failures.failure(error, store)


_USED = "headwater_used"


class _StaleConnection(psycopg.OperationalError):
    """A connection that had worked before is broken."""
