"""Reads of the stored events."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import Any

import orjson
from sqlalchemy import bindparam, exists, func, select
from sqlalchemy.engine import Connection
from sqlalchemy.sql.elements import ColumnElement

from headwater.collector.merging.keys import name_key, run_key
from headwater.collector.stores.reading import Document, EventFilter
from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.query import Query
from headwater.collector.stores.sql.tally import names_in

_KEYS = 500
"""In one statement."""

_doc = schema.document.c
_DOCUMENT: Any = select(_doc.event_id, _doc.raw, _doc.problems, _doc.received_at)
_PLACED: Any = select(_doc.event_id, _doc.raw, _doc.problems, _doc.received_at, _doc.seq)
_FEW_JOBS = 256


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
    if jobs := _few_jobs(connection, where):
        return _of_jobs(connection, where, jobs, limit, offset)
    order = (_doc.event_time.desc(), _doc.seq.desc()) if where.descending else (_doc.event_time, _doc.seq)
    statement = _filtered(_DOCUMENT, where).order_by(*order).limit(limit).offset(offset)
    return [_document(row) for row in connection.execute(statement)]


def _few_jobs(connection: Connection, where: EventFilter) -> list[bytes]:
    """The jobs of the namespace asked for, or none where they are too many to look up one by one: then its events are
    likely among the next of all events."""
    if where.namespace is None or where.job is not None or where.run is not None:
        return []
    of_namespace = select(schema.job.c.key).where(schema.job.c.namespace == where.namespace).limit(_FEW_JOBS + 1)
    found = [row[0] for row in connection.execute(of_namespace)]
    return found if len(found) <= _FEW_JOBS else []


def _of_jobs(connection: Connection, where: EventFilter, jobs: list[bytes], limit: int, offset: int) -> list[Document]:
    """A look-up each in the index of jobs, merged."""
    order = (_doc.event_time.desc(), _doc.seq.desc()) if where.descending else (_doc.event_time, _doc.seq)
    places: list[tuple[str, int]] = []
    for job in jobs:
        statement = _filtered(select(_doc.event_time, _doc.seq), where._replace(namespace=None))
        rows = connection.execute(statement.where(_doc.job == job).order_by(*order).limit(offset + limit))
        places += [(row[0], row[1]) for row in rows]
    chosen = [seq for _, seq in sorted(places, reverse=where.descending)[offset : offset + limit]]
    found = {row[-1]: _document(row) for row in connection.execute(_PLACED.where(_doc.seq.in_(chosen)))}
    return [found[seq] for seq in chosen]


def count_documents(connection: Connection, where: EventFilter) -> int:
    if connection.dialect.name == "postgresql" and where._replace(descending=True) == EventFilter():
        counted, values = names_in(connection.dialect, schema.document, None)
        return int(counted.rows(connection, **values)[0][0])  # SQLite counts by the pages of an index
    return int(connection.execute(_filtered(select(func.count()).select_from(schema.document), where)).scalar_one())


def event_ids(connection: Connection, after: str, limit: int) -> list[str]:
    """In order, those greater than ``after``."""
    statement = select(_doc.event_id).where(_doc.event_id > bytes.fromhex(after)).order_by(_doc.event_id).limit(limit)
    return [row[0].hex() for row in connection.execute(statement)]


def known_events(connection: Connection, event_ids: Collection[str]) -> set[str]:
    keys = [bytes.fromhex(event_id) for event_id in event_ids]
    found: set[str] = set()
    for start in range(0, len(keys), _KEYS):
        statement = select(_doc.event_id).where(_doc.event_id.in_(keys[start : start + _KEYS]))
        found.update(row[0].hex() for row in connection.execute(statement))
    return found


def count_by_type(connection: Connection, bounds: Sequence[str]) -> list[dict[str, int]]:
    return [
        {row[0]: row[1] for row in _BY_TYPE.rows(connection, since=since, before=before) if row[0]}
        for since, before in pairwise(bounds)
    ]


_BY_TYPE = Query(
    select(_doc.type, func.count())
    .where(_doc.event_time >= bindparam("since"), _doc.event_time < bindparam("before"))
    .group_by(_doc.type)
)


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
    if where.namespace is not None:
        job = schema.job.c
        conditions.append(exists().where(job.key == _doc.job, job.namespace == where.namespace))
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
