"""Statements written once in SQLAlchemy Core and run many times straight on the driver's connection.

Rendering a Core statement costs SQLAlchemy 0.1 to 0.3 ms at every execution, more than SQLite takes to answer; a
``Query`` is compiled once for each dialect and each size of its list of keys. Values are always parameters.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from sqlalchemy import bindparam, func, or_
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.engine import Connection, Dialect
from sqlalchemy.sql.elements import ColumnElement

from headwater.collector.stores.sql.arrays import ByteaArray

SIZES = (1, 4, 16, 64, 256)
"""Lengths of compiled IN lists; a shorter list of keys is filled up by repeating its last one."""
MAX_ARRAY = 10_000
"""Keys in one array; PostgreSQL takes them so."""
Row = tuple[Any, ...]


class Query:
    """A SELECT, UPDATE or DELETE. ``among``: the column that a list of keys narrows, for ``rows_among``."""

    def __init__(self, statement: Any, *, among: ColumnElement[Any] | None = None) -> None:
        self._statement, self._among = statement, among
        self._compiled: dict[tuple[str, int], tuple[str, list[str], dict[str, Any]]] = {}

    def rows(self, connection: Connection, **values: Any) -> list[Row]:
        """The rows with these values of the statement's bind parameters."""
        found: list[Row] = self._run(connection, 0, values).fetchall()
        return found

    def rows_each(self, connection: Connection, values: Iterable[Mapping[str, Any]]) -> list[list[Row]]:
        """``rows`` for each of the sets of values; a server gets them all before it is waited for."""
        if connection.dialect.name != "postgresql":
            return self._rows_in_turn(connection, values)
        driver = driver_connection(connection)
        with driver.pipeline():
            driver.execute(
                "SET LOCAL enable_seqscan = off"
            )  # keys are looked up, whatever a young table's statistics say
            cursors = [self._run(connection, 0, each) for each in values]
        return [cursor.fetchall() for cursor in cursors]

    def _rows_in_turn(self, connection: Connection, values: Iterable[Mapping[str, Any]]) -> list[list[Row]]:
        """One cursor for all: thousands of small look-ups cost more around the engine than in it."""
        sql, names, constants = self._on(connection.dialect, 0)
        cursor = driver_cursor(connection)
        found: list[list[Row]] = []
        for each in values:
            known = {**constants, **each}
            cursor.execute(sql, tuple([known[name] for name in names]))
            found.append(cursor.fetchall())
        return found

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
        for start in range(0, len(ordered), SIZES[-1]):
            some = ordered[start : start + SIZES[-1]]
            size = next(each for each in SIZES if each >= len(some))
            some += [some[-1]] * (size - len(some))
            listed = {f"among_{index}": key for index, key in enumerate(some)}
            yield from self._run(connection, size, listed | values).fetchall()

    def _rows_of_any(self, connection: Connection, keys: list[bytes], values: dict[str, Any]) -> Iterator[Row]:
        for start in range(0, len(keys), MAX_ARRAY):
            listed = {"among": ByteaArray(keys[start : start + MAX_ARRAY])}
            yield from self._run(connection, 1, listed | values).fetchall()

    def _run(self, connection: Connection, size: int, values: Mapping[str, Any]) -> Any:
        sql, names, constants = self._on(connection.dialect, size)
        parameters = tuple(values[name] if name in values else constants[name] for name in names)
        cursor = driver_cursor(connection)
        cursor.execute(sql, parameters)
        return cursor

    def _on(self, dialect: Dialect, size: int) -> tuple[str, list[str], dict[str, Any]]:
        found = self._compiled.get((dialect.name, size))
        if found is None:
            statement = self._statement
            if size and self._among is not None:
                statement = statement.where(self._among_condition(dialect, size))
            compiled = statement.compile(dialect=dialect)
            found = (str(compiled), list(compiled.positiontup), dict(compiled.params))
            self._compiled[dialect.name, size] = found
        return found

    def _among_condition(self, dialect: Dialect, size: int) -> ColumnElement[bool]:
        column: Any = self._among
        if dialect.name == "postgresql":
            any_of: ColumnElement[bool] = column == func.any(bindparam("among", type_=ARRAY(column.type)))
            return any_of
        listed: ColumnElement[bool] = column.in_(
            [bindparam(f"among_{index}", type_=column.type) for index in range(size)]
        )
        return listed


def one_of(column: ColumnElement[Any], values: Iterable[Any]) -> ColumnElement[bool]:
    """For constants: SQLAlchemy renders its own IN lists only when it executes."""
    return or_(*(column == value for value in values))


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
