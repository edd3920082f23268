"""The tables of ``schema`` as PostgreSQL has them: texts compare by their bytes, indexes bound their length."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Column,
    Identity,
    Index,
    MetaData,
    PrimaryKeyConstraint,
    Table,
    Text,
    literal_column,
    text,
)
from sqlalchemy.engine import Connection
from sqlalchemy.sql.elements import ColumnElement

from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.bounded import beginning_sql, bounded_sql

CREATING: Final = 0x68656164_77617465
"""The advisory lock that whoever makes the tables holds."""
LONG: Final = {
    "run_io": {"version"},
    "facet": {"version", "name"},
    "lifecycle": {"change"},
    "generation": {"version"},
    "mark": {"version"},
}
"""Columns of keys that may hold long texts."""
_INDEXES: Final[dict[str, tuple[tuple[str, ...], str | None] | None]] = {
    "job_name": None,
    "dataset_name": (("~namespace", "<name"), "first_time IS NOT NULL"),  # ties, by the rest of a long name, as below
    "job_of_namespace": (("~namespace", "last_time"), None),
    "job_deleted": (("~namespace",), "deleted IS NOT NULL"),
    "dataset_deleted": (("~namespace",), "deleted IS NOT NULL"),
    "facet_source": (("value", "time"), "name = 'dataSource' AND scope = 3"),
    "run_logical": (("~logical_key", "first_time", "run"), "logical_key IS NOT NULL"),
    "run_parent": (("parent", "first_time", "run"), "parent IS NOT NULL"),
    "run_io_read": (("dataset", "side", "~version", "pin_time"), None),
    "generation_current": (("dataset", "commit_time"), None),  # ties, by version, are sorted when asked for
}
"""Where they differ from SQLite's: columns, ``~`` for bounded, ``<`` for the beginning, and condition; None: no such
index."""
_ROOM: Final = {"job": 80, "dataset": 80, "facet": 85, "job_edge": 85}
"""Percent filled at first, so that a changed row finds room on its page."""


def key_elements(table: Table, key: list[str]) -> list[str | ColumnElement[Any]]:
    """A table's key as its unique index has it, for ON CONFLICT."""
    return [_bounded(name) if name in LONG.get(table.name, ()) else name for name in key]


def _bounded(name: str) -> ColumnElement[Any]:
    return literal_column(bounded_sql(name))


def _metadata() -> MetaData:
    made = MetaData()
    for table in schema.metadata.sorted_tables:
        columns = [_column(column) for column in table.columns]
        room: dict[str, Any] = {"postgresql_with": {"fillfactor": _ROOM[table.name]}} if table.name in _ROOM else {}
        copy = Table(table.name, made, *columns, **room)
        _add_key(copy, table)
        for index in table.indexes:
            _add_index(copy, index)
    return made


def _column(column: Column[Any]) -> Column[Any]:
    if column.name == "seq":
        return Column("seq", BigInteger, Identity(), nullable=False)
    kind = Text(collation="C") if isinstance(column.type, Text) else column.type
    return Column(column.name, kind, nullable=column.nullable)


def _add_key(copy: Table, table: Table) -> None:
    key = ["event_id"] if table is schema.document else [column.name for column in table.primary_key]
    if table.name in LONG:
        Index(f"{table.name}_key", *_columns(copy, key_elements(table, key)), unique=True)
    else:
        copy.append_constraint(PrimaryKeyConstraint(*key, name=f"{table.name}_key"))


def _add_index(copy: Table, index: Index) -> None:
    assert index.name is not None
    differs = _INDEXES.get(index.name, ())
    if differs is None:
        return
    names, condition = differs or (tuple(column.name for column in index.columns), None)
    columns = [_in_index(name) for name in names]
    where: dict[str, Any] = {"postgresql_where": text(condition)} if condition else {}
    made = Index(index.name, *_columns(copy, columns), **where)
    if made not in copy.indexes:  # of expressions alone: no column says which table it is of
        copy.append_constraint(made)


def _in_index(name: str) -> str | ColumnElement[Any]:
    if name.startswith("<"):
        return literal_column(beginning_sql(name[1:]))
    return _bounded(name[1:]) if name.startswith("~") else name


def _columns(copy: Table, names: list[str | ColumnElement[Any]]) -> list[Any]:
    return [copy.c[name] if isinstance(name, str) else name for name in names]


METADATA: Final = _metadata()


def create_tables(connection: Connection) -> None:
    """Makes what is missing; other processes wait until the transaction ends, and then find it made."""
    connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": CREATING})
    METADATA.create_all(connection)
