"""Statements written once in SQLAlchemy Core and run many times straight on the driver's connection.

Rendering a Core statement costs SQLAlchemy 0.1 to 0.3 ms at every execution, more than SQLite takes to answer; a
``Query`` is compiled once for each dialect and each size of its list of keys. Values are always parameters.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from sqlalchemy import bindparam, or_
from sqlalchemy.engine import Connection, Dialect
from sqlalchemy.sql.elements import ColumnElement

SIZES = (1, 4, 16, 64, 256)
"""Lengths of compiled IN lists; a shorter list of keys is filled up by repeating its last one."""
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
        for start in range(0, len(ordered), SIZES[-1]):
            some = ordered[start : start + SIZES[-1]]
            size = next(each for each in SIZES if each >= len(some))
            some += [some[-1]] * (size - len(some))
            listed = {f"among_{index}": key for index, key in enumerate(some)}
            yield from self._run(connection, size, listed | values).fetchall()

    def _run(self, connection: Connection, size: int, values: dict[str, Any]) -> Any:
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
                listed = [bindparam(f"among_{index}", type_=self._among.type) for index in range(size)]
                statement = statement.where(self._among.in_(listed))
            compiled = statement.compile(dialect=dialect)
            found = (str(compiled), list(compiled.positiontup), dict(compiled.params))
            self._compiled[dialect.name, size] = found
        return found


def one_of(column: ColumnElement[Any], values: Iterable[Any]) -> ColumnElement[bool]:
    """For constants: SQLAlchemy renders its own IN lists only when it executes."""
    return or_(*(column == value for value in values))


def driver_cursor(connection: Connection) -> Any:
    """A cursor of the driver's own, in the connection's transaction."""
    raw = connection.connection.driver_connection
    assert raw is not None
    return raw.cursor()


def run_many(connection: Connection, sql: str, rows: Sequence[Row]) -> None:
    """Runs one compiled statement for all rows."""
    if rows:
        driver_cursor(connection).executemany(sql, rows)
