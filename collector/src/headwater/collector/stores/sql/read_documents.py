"""Reads of the stored events."""

from __future__ import annotations

from typing import Any

import orjson
from sqlalchemy import func, select
from sqlalchemy.engine import Connection
from sqlalchemy.sql.elements import ColumnElement

from headwater.collector.stores.reading import Document, EventFilter
from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.keys import name_key, run_key

_doc = schema.document.c
_DOCUMENT: Any = select(_doc.event_id, _doc.raw, _doc.problems, _doc.received_at)


def document(connection: Connection, event_id: str) -> Document | None:
    try:
        key = bytes.fromhex(event_id)
    except ValueError:
        return None
    row = connection.execute(_DOCUMENT.where(_doc.event_id == key)).first()
    return None if row is None else _document(row)


def _document(row: Any) -> Document:
    problems = tuple((where, message) for where, message in orjson.loads(row[2])) if row[2] else ()
    return Document(row[0].hex(), row[1], problems, row[3])


def list_documents(connection: Connection, where: EventFilter, limit: int, offset: int) -> list[Document]:
    order = (_doc.event_time.desc(), _doc.seq.desc()) if where.descending else (_doc.event_time, _doc.seq)
    statement = _filtered(_DOCUMENT, where).order_by(*order).limit(limit).offset(offset)
    return [_document(row) for row in connection.execute(statement)]


def count_documents(connection: Connection, where: EventFilter) -> int:
    return int(connection.execute(_filtered(select(func.count()).select_from(schema.document), where)).scalar_one())


def _filtered(statement: Any, where: EventFilter) -> Any:
    conditions: list[ColumnElement[bool]] = []
    if where.run is not None:
        conditions.append(_doc.run == run_key(where.run))
    if where.job is not None:
        conditions.append(_doc.job == name_key(where.job))
    if where.since is not None:
        conditions.append(_doc.event_time >= where.since)
    if where.before is not None:
        conditions.append(_doc.event_time < where.before)
    if where.kind is not None:
        conditions.append(_doc.kind == where.kind)
    return statement.where(*conditions)


def counts(connection: Connection) -> dict[str, int]:
    document = schema.document
    questions = {
        "events": select(func.count()).select_from(document),
        "eventsWithProblems": select(func.count()).select_from(document).where(_doc.problems.isnot(None)),
        "runs": select(func.count()).select_from(schema.run),
        "jobs": select(func.count()).select_from(schema.job),
        "datasets": select(func.count()).select_from(schema.dataset).where(schema.dataset.c.first_time.isnot(None)),
        "generations": select(func.count()).select_from(schema.generation),
    }
    return {name: int(connection.execute(statement).scalar_one()) for name, statement in questions.items()}
