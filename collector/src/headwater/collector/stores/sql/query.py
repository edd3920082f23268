"""Statements written once in SQLAlchemy Core and run many times straight on the driver's connection.

Rendering a Core statement costs SQLAlchemy 0.1 to 0.3 ms at every execution, more than SQLite takes to answer; a
``Query`` is compiled once for each dialect and each size of its list of keys. Values are always parameters.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from sqlalchemy import Table, bindparam, func, or_
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.engine import Connection, Dialect
from sqlalchemy.sql.elements import ColumnElement

from headwater.collector.stores.sql.arrays import ByteaArray
from headwater.collector.stores.sql.asking import Asked, answers, looks_up
from headwater.collector.stores.sql.asking import Row as Row
from headwater.collector.stores.sql.lateral import MAX_SETS, Lateral

SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
"""Lengths of compiled IN lists; a shorter list of keys is filled up by repeating its last one."""
MAX_ARRAY = 10_000
"""Keys in one array; PostgreSQL takes them so."""


_AMONG = "among_"
_BY_INDEX: Asked = ("SET LOCAL enable_seqscan = off", ())
"""Keys are looked up, whatever a young table's statistics say."""
_WITHOUT_SORTING: Asked = ("SET LOCAL enable_sort = off", ())
_SORTING: Asked = ("SET LOCAL enable_sort = on", ())


class Query:
    """A SELECT, UPDATE or DELETE. ``among``: the column that a list of keys narrows, for ``rows_among``. ``by_index``:
    an index has the order of the rows, at least the beginning of it, and only the first few are wanted; a server, which
    takes the table for small or each look-up for one row, would sort all of them."""

    def __init__(self, statement: Any, *, among: ColumnElement[Any] | None = None, by_index: bool = False) -> None:
        self._statement, self._among, self._by_index = statement, among, by_index
        self._compiled: dict[tuple[str, int], _Compiled] = {}

    def rows(self, connection: Connection, **values: Any) -> list[Row]:
        """The rows with these values of the statement's bind parameters."""
        return rows_of(connection, (self, values))[0]

    def fetched(self, connection: Connection, values: Mapping[str, Any]) -> list[Row]:
        """``rows``, for SQLite."""
        found: list[Row] = self._run(connection, values).fetchall()
        return found

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
        first = [] if looks_up(connection) else [_BY_INDEX]
        asked = self._ordered((statement, parameters))
        found: list[list[Row]] = [[] for _ in sets]
        for row in answers(connection, *first, *asked)[len(first) + len(asked) // 2]:
            found[row[-1] - 1].append(row[:-1])
        return found

    def _rows_in_turn(self, connection: Connection, values: Iterable[Mapping[str, Any]]) -> list[list[Row]]:
        """One cursor for all: thousands of small look-ups cost more around the engine than in it."""
        compiled = self._on(connection.dialect, 0)
        sql, parameters, execute = compiled.sql, compiled.parameters, driver_cursor(connection).execute
        return [execute(sql, parameters(each)).fetchall() for each in values]

    def row(self, connection: Connection, **values: Any) -> Row | None:
        """The first row."""
        if connection.dialect.name == "postgresql":
            return next(iter(self.rows(connection, **values)), None)
        found: Row | None = self._run(connection, values).fetchone()
        return found

    def run(self, connection: Connection, **values: Any) -> None:
        """For a statement that returns nothing."""
        if connection.dialect.name == "postgresql":
            answers(connection, *self.asked(connection.dialect, values))
        else:
            self._run(connection, values)

    def rows_among(self, connection: Connection, keys: Collection[Any], **values: Any) -> Iterator[Row]:
        """The rows for any of the keys, a chunk of keys at a time."""
        ordered = list(keys)
        if connection.dialect.name == "postgresql":
            for asked in self.asked_among(connection.dialect, ordered, values):
                yield from answers(connection, asked)[0]
            return
        if len(ordered) > SIZES[-1]:  # within one list SQLite takes them in order anyway: neighbours share pages
            ordered.sort()
        for start in range(0, len(ordered), SIZES[-1]):
            some = ordered[start : start + SIZES[-1]]
            size = next(each for each in SIZES if each >= len(some))
            some += [some[-1]] * (size - len(some))
            compiled = self._on(connection.dialect, size)
            yield from driver_cursor(connection).execute(compiled.sql, compiled.listing(some, values)).fetchall()

    def asked_among(self, dialect: Dialect, keys: list[bytes], values: Mapping[str, Any]) -> Iterator[Asked]:
        """For PostgreSQL: a statement for each chunk of keys."""
        compiled = self._on(dialect, 1)
        for start in range(0, len(keys), MAX_ARRAY):
            listed = {"among": ByteaArray(keys[start : start + MAX_ARRAY])}
            yield compiled.sql, compiled.parameters({**listed, **values})

    def asked(self, dialect: Dialect, values: Mapping[str, Any]) -> list[Asked]:
        """For PostgreSQL: the statement, the second of three where it is to go ``by_index``."""
        compiled = self._on(dialect, 0)
        return self._ordered((compiled.sql, compiled.parameters(values)))

    def _ordered(self, asked: Asked) -> list[Asked]:
        return [_WITHOUT_SORTING, asked, _SORTING] if self._by_index else [asked]

    def _run(self, connection: Connection, values: Mapping[str, Any]) -> Any:
        compiled = self._on(connection.dialect, 0)
        return driver_cursor(connection).execute(compiled.sql, compiled.parameters(values))

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


def rows_of(connection: Connection, *asked: tuple[Query, Mapping[str, Any]]) -> list[list[Row]]:
    """Of each query its rows with these values; a server gets them all at once."""
    if connection.dialect.name != "postgresql":
        return [query.fetched(connection, values) for query, values in asked]
    statements: list[Asked] = []
    places: list[int] = []
    for query, values in asked:
        of_query = query.asked(connection.dialect, values)
        places.append(len(statements) + len(of_query) // 2)
        statements += of_query
    found = answers(connection, *statements)
    return [found[place] for place in places]


def rows_of_all(connection: Connection, keys: Collection[bytes], *queries: Query, **values: Any) -> list[list[Row]]:
    """Of each query its ``rows_among``; a server gets them all at once."""
    ordered = list(keys)
    return rows_among_each(connection, *((query, ordered) for query in queries), **values)


def rows_among_each(connection: Connection, *asked: tuple[Query, list[bytes]], **values: Any) -> list[list[Row]]:
    """The same, each query with keys of its own."""
    if connection.dialect.name != "postgresql":
        return [list(query.rows_among(connection, keys, **values)) for query, keys in asked]
    statements = [list(query.asked_among(connection.dialect, keys, values)) for query, keys in asked]
    found = iter(answers(connection, *(each for of_query in statements for each in of_query)))
    return [[row for _ in of_query for row in next(found)] for of_query in statements]


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
