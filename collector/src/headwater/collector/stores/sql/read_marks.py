"""Reads what was said of single generations, see ``facts.Mark``."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import bindparam, select
from sqlalchemy.engine import Connection

from headwater.collector.facts import Mark
from headwater.collector.merging.keys import name_key
from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.bounded import same_text
from headwater.collector.stores.sql.query import Query
from headwater.shared.event import Name

_mark = schema.mark.c
_ANY = Query(select(_mark.dataset).limit(1))
_OF_GENERATION = Query(
    select(_mark.kind, _mark.time, _mark.event_id, _mark.stands, _mark.reason, _mark.author).where(
        _mark.dataset == bindparam("dataset"), same_text(_mark.version, bindparam("version"))
    )
)


def marks(connection: Connection, generations: Collection[tuple[Name, str]]) -> list[Mark]:
    if _ANY.row(connection) is None:  # as in most stores
        return []
    asked = list(generations)
    answers = _OF_GENERATION.rows_each(
        connection, [{"dataset": name_key(n), "version": version} for n, version in asked]
    )
    return [
        Mark(name, version, kind, time, bytes(event_id).hex(), bool(stands), reason, author)
        for (name, version), rows in zip(asked, answers, strict=True)
        for kind, time, event_id, stands, reason, author in rows
    ]
