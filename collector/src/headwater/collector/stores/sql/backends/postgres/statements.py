"""The upserts of a batch, one statement a table for all its rows: ``INSERT ... SELECT FROM unnest(...)``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import BigInteger, Boolean, LargeBinary, SmallInteger, Table, Text, delete, func, or_, select, update
from sqlalchemy.dialects import postgresql
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.engine import Dialect
from sqlalchemy.sql.elements import BindParameter
from sqlalchemy.types import TypeEngine

from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.arrays import (
    BooleanArray,
    ByteaArray,
    LongArray,
    PackedArray,
    SmallArray,
    TextArray,
)
from headwater.collector.stores.sql.backends.postgres.search_tables import KINDS, search_name, search_part
from headwater.collector.stores.sql.backends.postgres.tables import key_elements
from headwater.collector.stores.sql.parts import parts
from headwater.collector.stores.sql.search import fold
from headwater.collector.stores.sql.upserts import DERIVED_RUN, Upserts

_ARRAYS: list[tuple[type[TypeEngine[Any]], type[PackedArray]]] = [
    (LargeBinary, ByteaArray),
    (Text, TextArray),
    (SmallInteger, SmallArray),
    (BigInteger, LongArray),
    (Boolean, BooleanArray),
]
RUN_COLUMNS = ("run", "first_time", "last_time", "job_rank", "job_time", "job_event", "job", *DERIVED_RUN)


class Bulk:
    """A statement for any number of rows; each column of them is one array."""

    def __init__(self, sql: str, arrays: Sequence[type[PackedArray]]) -> None:
        self.sql, self.arrays = sql, arrays

    def run(self, cursor: Any, rows: Sequence[tuple[Any, ...]]) -> Any:
        """In the order of the rows. Returns the cursor."""
        columns = zip(*rows, strict=True)
        return cursor.execute(
            self.sql, tuple(array(column) for array, column in zip(self.arrays, columns, strict=True))
        )


class Naming(Bulk):
    """Of jobs or datasets: names that were not there are written for the search, too."""

    def __init__(self, named: Bulk, kind: int, search: Bulk, part: Bulk) -> None:
        super().__init__(f"{named.sql} RETURNING key, xmax = 0", named.arrays)
        self._kind, self._search, self._part = kind, search, part

    def run(self, cursor: Any, rows: Sequence[tuple[Any, ...]]) -> Any:
        super().run(cursor, rows)
        inserted = {key for key, fresh in cursor.fetchall() if fresh}
        found = [(self._kind, row[0], fold(row[2])) for row in rows if row[0] in inserted]
        if found:
            self._search.run(cursor, found)
        if gone_on := sorted((part, kind, key) for kind, key, name in found for part in parts(name)):
            self._part.run(cursor, gone_on)
        return cursor


class BulkUpserts(Upserts):
    """As ``Upserts``, with ``Bulk`` in place of each statement.

    No two rows of one call may have one key. Callers give rows in the order of their keys, so that two writers take
    row locks in one order.
    """

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._search: Any = self._insert(search_name, ["kind", "key", "name"], ["kind", "key"])
        self._part: Any = self._insert(search_part, ["part", "kind", "key"], ["part", "kind", "key"])
        super().__init__(dialect)
        self.insert_run = self._insert_run()
        self.set_run = self._update(schema.run, "run", RUN_COLUMNS[1:])

    def _sql(self, statement: Any) -> Any:
        compiled = statement.compile(dialect=self._dialect)
        arrays = [_array_of(compiled.binds[name]) for name in compiled.positiontup]
        return Bulk(str(compiled), arrays)

    def _upsert(self, statement: Any) -> Any:
        return self._sql(statement)

    def _key(self, table: Table, key: Sequence[str]) -> list[Any]:
        return list(key_elements(table, list(key)))

    def _document(self) -> Any:
        """Returns for each document that it wrote whether it is new."""
        written: Any = super()._document()
        return Bulk(f"{written.sql} RETURNING xmax = 0", written.arrays)

    def _plain(self, table: Table, columns: Sequence[str]) -> Any:
        given = _given([(name, table.c[name].type) for name in columns])
        return postgresql.insert(table).from_select(list(columns), select(*given.c), include_defaults=False)

    def _seen(self, table: Table, defaults: Sequence[str]) -> Any:
        named: Any = super()._seen(table, defaults)
        return Naming(named, KINDS[table.name], self._search, self._part)

    def _insert_run(self) -> Any:
        """The runs that were not there; returns their keys."""
        statement = self._plain(schema.run, RUN_COLUMNS)
        return self._sql(statement.on_conflict_do_nothing(index_elements=["run"]).returning(schema.run.c.run))

    def _delete(self, table: Table, key: Sequence[str]) -> Any:
        given = _given([(name, table.c[name].type) for name in key])
        return self._sql(delete(table).where(*(table.c[name] == given.c[name] for name in key)))

    def _update(self, table: Table, key: str, columns: Sequence[str]) -> Any:
        given = _given([*((name, table.c[name].type) for name in columns), ("at", table.c[key].type)])
        values = {name: given.c[name] for name in columns}
        return self._sql(update(table).where(table.c[key] == given.c.at).values(values))

    def _update_io(self) -> Any:
        table = schema.run_io
        given = _given([("new", table.c.pin_time.type), ("at", table.c.run.type), ("than", table.c.pin_time.type)])
        stale = table.c.pin_time.is_distinct_from(given.c.than)
        return self._sql(update(table).where(table.c.run == given.c.at, stale).values(pin_time=given.c.new))

    def _raise_edges_since(self) -> Any:
        table = schema.job
        since = table.c.edges_since
        given = _given([("since", since.type), ("at", table.c.key.type), ("than", since.type)])
        earlier = or_(since.is_(None), since < given.c.than)
        return self._sql(update(table).where(table.c.key == given.c.at, earlier).values(edges_since=given.c.since))


def _given(columns: Sequence[tuple[str, TypeEngine[Any]]]) -> Any:
    """The rows of the call, as a table."""
    arrays = [BindParameter(f"given_{name}", type_=ARRAY(kind), unique=False) for name, kind in columns]
    return func.unnest(*arrays).table_valued(*(name for name, _ in columns), name="given").render_derived()


def _array_of(parameter: BindParameter[Any]) -> type[PackedArray]:
    kind = parameter.type
    assert isinstance(kind, ARRAY), parameter
    return next(array for base, array in _ARRAYS if isinstance(kind.item_type, base))
