"""Statements written once in SQLAlchemy Core and run many times straight on the driver's connection.

Rendering a Core statement costs SQLAlchemy 0.1 to 0.3 ms at every execution, more than SQLite takes to answer; a
``Query`` is compiled once for each dialect and each size of its list of keys. Values are always parameters.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol, TypeAlias

from sqlalchemy import Table, bindparam, func, or_
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.engine import Connection, Dialect
from sqlalchemy.sql.elements import ColumnElement

from headwater.collector.stores.sql.arrays import ByteaArray
from headwater.collector.stores.sql.lateral import MAX_SETS, Lateral

SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
"""Lengths of compiled IN lists; a shorter list of keys is filled up by repeating its last one."""
MAX_ARRAY = 10_000
"""Keys in one array; PostgreSQL takes them so."""
Row = tuple[Any, ...]


_AMONG = "among_"
_BY_INDEX = "SET LOCAL enable_seqscan = off"
"""Keys are looked up, whatever a young table's statistics say."""
_WITHOUT_SORTING, _SORTING = "SET LOCAL enable_sort = off", "SET LOCAL enable_sort = on"


class Query:
    """A SELECT, UPDATE or DELETE. ``among``: the column that a list of keys narrows, for ``rows_among``. ``by_index``:
    an index has the order of the rows, and only the first few are wanted; a server whose statistics are behind would
    take the table for small, and sort it."""

    def __init__(self, statement: Any, *, among: ColumnElement[Any] | None = None, by_index: bool = False) -> None:
        self._statement, self._among, self._by_index = statement, among, by_index
        self._compiled: dict[tuple[str, int], _Compiled] = {}

    def rows(self, connection: Connection, **values: Any) -> list[Row]:
        """The rows with these values of the statement's bind parameters."""
        found: list[Row] = self.cursor(connection, **values).fetchall()
        return found

    def cursor(self, connection: Connection, **values: Any) -> Any:
        """The same, not yet fetched."""
        if not self._by_index or connection.dialect.name != "postgresql":
            return self._run(connection, 0, values)
        driver_cursor(connection).execute(_WITHOUT_SORTING)
        cursor = self._run(connection, 0, values)
        driver_cursor(connection).execute(_SORTING)
        return cursor

    def rows_each(self, connection: Connection, values: Iterable[Mapping[str, Any]]) -> list[list[Row]]:
        """``rows`` for each of the sets of values, which all have the same names; a server gets them all at once."""
        if connection.dialect.name != "postgresql":
            return self._rows_in_turn(connection, values)
        found: list[list[Row]] = []
        sets = list(values)
        for start in range(0, len(sets), MAX_SETS):
            found += self._rows_of_sets(connection, sets[start : start + MAX_SETS])
        return found

    def _rows_of_sets(self, connection: Connection, sets: list[Mapping[str, Any]]) -> list[list[Row]]:
        statement, parameters = self._on(connection.dialect, 0).lateral.statement(sets)
        driver = driver_connection(connection)
        with driver.pipeline():
            driver.execute(_BY_INDEX)
            cursor = driver.execute(statement, parameters)
        found: list[list[Row]] = [[] for _ in sets]
        for row in cursor.fetchall():
            found[row[-1] - 1].append(row[:-1])
        return found

    def _rows_in_turn(self, connection: Connection, values: Iterable[Mapping[str, Any]]) -> list[list[Row]]:
        """One cursor for all: thousands of small look-ups cost more around the engine than in it."""
        compiled = self._on(connection.dialect, 0)
        sql, parameters, execute = compiled.sql, compiled.parameters, driver_cursor(connection).execute
        return [execute(sql, parameters(each)).fetchall() for each in values]

    def row(self, connection: Connection, **values: Any) -> Row | None:
        """The first row."""
        found: Row | None = self._run(connection, 0, values).fetchone()
        return found

    def run(self, connection: Connection, **values: Any) -> None:
        """For a statement that returns nothing."""
        self._run(connection, 0, values)

    def rows_among(self, connection: Connection, keys: Collection[Any], **values: Any) -> Iterator[Row]:
        """The rows for any of the keys, a chunk of keys at a time."""
        ordered = list(keys)
        if connection.dialect.name == "postgresql":
            yield from self._rows_of_any(connection, ordered, values)
            return
        if len(ordered) > SIZES[-1]:  # within one list SQLite takes them in order anyway: neighbours share pages
            ordered.sort()
        for start in range(0, len(ordered), SIZES[-1]):
            some = ordered[start : start + SIZES[-1]]
            size = next(each for each in SIZES if each >= len(some))
            some += [some[-1]] * (size - len(some))
            compiled = self._on(connection.dialect, size)
            yield from driver_cursor(connection).execute(compiled.sql, compiled.listing(some, values)).fetchall()

    def _rows_of_any(self, connection: Connection, keys: list[bytes], values: Mapping[str, Any]) -> Iterator[Row]:
        for cursor in self.cursors_among(connection, keys, values):
            yield from cursor.fetchall()

    def cursors_among(self, connection: Connection, keys: list[bytes], values: Mapping[str, Any]) -> Iterator[Any]:
        """For PostgreSQL: one for each chunk of keys."""
        for start in range(0, len(keys), MAX_ARRAY):
            listed = {"among": ByteaArray(keys[start : start + MAX_ARRAY])}
            yield self._run(connection, 1, {**listed, **values})

    def _run(self, connection: Connection, size: int, values: Mapping[str, Any]) -> Any:
        compiled = self._on(connection.dialect, size)
        cursor = driver_cursor(connection)
        cursor.execute(compiled.sql, compiled.parameters(values))
        return cursor

    def _on(self, dialect: Dialect, size: int) -> _Compiled:
        found = self._compiled.get((dialect.name, size))
        if found is None:
            statement = self._statement
            if size and self._among is not None:
                statement = statement.where(self._among_condition(dialect, size))
            found = self._compiled[dialect.name, size] = _Compiled(statement.compile(dialect=dialect))
        return found

    def _among_condition(self, dialect: Dialect, size: int) -> ColumnElement[bool]:
        column: Any = self._among
        if dialect.name == "postgresql":
            any_of: ColumnElement[bool] = column == func.any(bindparam("among", type_=ARRAY(column.type)))
            return any_of
        listed: ColumnElement[bool] = column.in_(
            [bindparam(f"{_AMONG}{index}", type_=column.type) for index in range(size)]
        )
        return listed


def at_once(connection: Connection) -> AbstractContextManager[Any]:
    """A server gets what is asked in here at once; nothing is to be fetched before the end."""
    postgres = connection.dialect.name == "postgresql"
    return driver_connection(connection).pipeline() if postgres else nullcontext()


def rows_of_all(connection: Connection, keys: Collection[bytes], *queries: Query, **values: Any) -> list[list[Row]]:
    """Of each query its ``rows_among``; a server gets them all at once."""
    if connection.dialect.name != "postgresql":
        return [list(query.rows_among(connection, keys, **values)) for query in queries]
    ordered = list(keys)
    with driver_connection(connection).pipeline():
        asked = [list(query.cursors_among(connection, ordered, values)) for query in queries]
    return [[row for cursor in cursors for row in cursor.fetchall()] for cursors in asked]


class _Compiled:
    """A statement as text, and how the values given by name become its parameters."""

    def __init__(self, compiled: Any) -> None:
        self.sql = str(compiled)
        self._names: list[str] = list(compiled.positiontup)
        self._constants = {name: value for name, value in compiled.params.items() if value is not None}
        listed = [index for index, name in enumerate(self._names) if name.startswith(_AMONG)]
        self._before = self._names[: listed[0]] if listed else []
        self._after = self._names[listed[-1] + 1 :] if listed else []
        self.lateral = Lateral(self.sql, self._names, self._constants)

    def parameters(self, values: Mapping[str, Any]) -> tuple[Any, ...]:
        """In the order of the statement."""
        constants = self._constants
        return tuple([values[name] if name in values else constants[name] for name in self._names])

    def listing(self, keys: list[Any], values: Mapping[str, Any]) -> tuple[Any, ...]:
        """The same with the keys in their place, which is one."""
        known = {**self._constants, **values} if values else self._constants
        before, after = self._before, self._after
        return (*[known[name] for name in before], *keys, *[known[name] for name in after])


def one_of(column: ColumnElement[Any], values: Iterable[Any]) -> ColumnElement[bool]:
    """For constants: SQLAlchemy renders its own IN lists only when it executes."""
    return or_(*(column == value for value in values))


def upsert_into(connection: Connection, table: Table) -> Any:
    """An INSERT of the connection's dialect, which takes ``on_conflict_do_update``."""
    return (postgresql if connection.dialect.name == "postgresql" else sqlite).insert(table)


def driver_cursor(connection: Connection) -> Any:
    """A cursor of the driver's own, in the connection's transaction."""
    return driver_connection(connection).cursor()


def driver_connection(connection: Connection) -> Any:
    """The driver's own."""
    raw = connection.connection.driver_connection
    assert raw is not None
    return raw


class ManyRows(Protocol):
    """A statement that takes all rows at once."""

    def run(self, cursor: Any, rows: Sequence[Row]) -> Any: ...


Statement: TypeAlias = str | ManyRows
"""Text takes a row at a time."""


def run_many(connection: Connection, statement: Statement, rows: Sequence[Row]) -> None:
    """Runs one compiled statement for all rows."""
    if not rows:
        return
    cursor = driver_cursor(connection)
    if isinstance(statement, str):
        cursor.executemany(statement, rows)
    else:
        statement.run(cursor, rows)
