"""Small helpers that every reading module shares: names to keys and back, long IN lists in chunks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from sqlalchemy.engine import Connection
from sqlalchemy.sql.elements import ColumnElement

from headwater.collector.stores.sql.bases import chunks
from headwater.collector.stores.sql.keys import name_key
from headwater.shared.event import Name


def keys_of(names: Iterable[Name]) -> dict[bytes, Name]:
    return {name_key(name): name for name in names}


def rows_in(connection: Connection, statement: Any, column: ColumnElement[Any], keys: Collection[Any]) -> Iterator[Any]:
    """The statement's rows where ``column`` is among ``keys``, a chunk of keys at a time."""
    for some in chunks(keys):
        yield from connection.execute(statement.where(column.in_(some)))
