"""What most stores have none of: one look tells for a whole question that nothing of it need be asked."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from sqlalchemy import bindparam, exists, select
from sqlalchemy.engine import Connection

from headwater.collector.merging.keys import NO_KEY
from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.query import Query, Row

SELDOM: Final = Query(
    select(
        exists().where(schema.symlink.c.dataset.isnot(None)),
        exists().where(schema.lifecycle.c.previous > bindparam("none")),
        exists().where(schema.mark.c.dataset.isnot(None)),
    )
)
"""Symlinks, renames by their index, and marks."""
VALUES: Final[dict[str, Any]] = {"none": NO_KEY}


class Seldom(NamedTuple):
    linked: bool
    """Whether any dataset goes by several names."""
    marked: bool
    """Whether anything was said of a single generation."""


def seldom_of(row: Row) -> Seldom:
    symlinks, renames, marks = row
    return Seldom(bool(symlinks or renames), bool(marks))


def seldom(connection: Connection) -> Seldom:
    """In this view of the store."""
    return seldom_of(SELDOM.rows(connection, **VALUES)[0])
