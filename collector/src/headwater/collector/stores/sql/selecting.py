"""Names to keys, and which rows show, for every reading module."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

from sqlalchemy import Table, and_, or_
from sqlalchemy.sql.elements import ColumnElement

from headwater.collector.merging.keys import name_key
from headwater.shared.event import Name

T = TypeVar("T")


def keys_of(names: Iterable[Name]) -> dict[bytes, Name]:
    return {name_key(name): name for name in names}


def known_of(kept: Mapping[bytes, T], keys: Iterable[bytes]) -> tuple[dict[bytes, T], set[bytes]]:
    """(what is kept of these keys, the others)."""
    found: dict[bytes, T] = {}
    missing: set[bytes] = set()
    for key in keys:
        value = kept.get(key)
        if value is None:
            missing.add(key)
        else:
            found[key] = value
    return found, missing


def visible(table: Table) -> ColumnElement[bool]:
    """A job or dataset that is not deleted, or was seen since."""
    return or_(table.c.deleted.is_(None), table.c.deleted < table.c.last_time)


def hidden(table: Table) -> ColumnElement[bool]:
    """The opposite, true or false also where the name was never seen."""
    return and_(table.c.deleted.isnot(None), or_(table.c.last_time.is_(None), table.c.deleted >= table.c.last_time))
