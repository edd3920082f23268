"""Reads of namespaces, of sources and of what was never committed."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import orjson
from sqlalchemy import exists, func, literal_column, select
from sqlalchemy.engine import Connection

from headwater.collector.catalog import is_reserved
from headwater.collector.facts import Scope
from headwater.collector.merging.catalog import namespace_key
from headwater.collector.merging.sources import add_source
from headwater.collector.stores.reading import MAX_SOURCES, NamespaceFacts, SourceFacts
from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.query import Query, Row
from headwater.collector.stores.sql.selecting import keys_of
from headwater.shared.event import Name

_namespace, _facet, _value, _generation = (
    schema.namespace.c,
    schema.facet.c,
    schema.facet_value.c,
    schema.generation.c,
)
_ALL: Any = select(_namespace.name, _namespace.first_time, _namespace.deleted, _namespace.arrived_time)
_NAMED = Query(_ALL, among=_namespace.key)
_SOURCES: Any = (
    select(_value.value, func.min(_facet.time), func.max(_facet.time))
    .join_from(schema.facet, schema.facet_value, _value.key == _facet.value)
    .where(_facet.name == literal_column("'dataSource'"), _facet.scope == literal_column(str(int(Scope.DATASET))))
    .group_by(_facet.value, _value.value)
)
UNPUBLISHED = Query(
    select(schema.dataset.c.key).where(
        exists().where(_generation.dataset == schema.dataset.c.key, _generation.commit_time.is_(None))
    ),
    among=schema.dataset.c.key,
)
"""Datasets that have a candidate; one look each, however many candidates there are."""


def namespace_facts(connection: Connection, names: Collection[str] | None) -> list[NamespaceFacts]:
    if names is None:
        rows = [tuple(row) for row in connection.execute(_ALL)]
    else:
        rows = list(_NAMED.rows_among(connection, sorted({namespace_key(name) for name in names})))
    return [
        NamespaceFacts(
            name, first, deleted, deleted is not None and not _seen_after(connection, name, deleted), arrived
        )
        for name, first, deleted, arrived in sorted(rows)
    ]


def _seen_after(connection: Connection, namespace: str, time: str) -> bool:
    last = span(connection, namespace)
    if last is not None and last[1] > time:
        return True
    described = select(schema.dataset.c.last_time).where(schema.dataset.c.key == namespace_key(namespace))
    return (connection.execute(described).scalar() or "") > time


def span(connection: Connection, namespace: str) -> tuple[str, str] | None:
    if is_reserved(namespace):
        return None
    found: list[Any] = []
    for table in (schema.job, schema.dataset):
        statement = select(func.min(table.c.first_time), func.max(table.c.last_time))
        found.append(connection.execute(statement.where(table.c.namespace == namespace)).one())
    firsts, lasts = ([row[index] for row in found if row[index] is not None] for index in (0, 1))
    return (min(firsts), max(lasts)) if firsts else None


def sources(connection: Connection) -> list[SourceFacts]:
    found: dict[tuple[str, str], SourceFacts] = {}
    for raw, first, last in connection.execute(_SOURCES.limit(MAX_SOURCES)):
        add_source(found, orjson.loads(raw), first, last)
    return [found[key] for key in sorted(found)]


def unpublished(connection: Connection, datasets: Collection[Name]) -> set[Name]:
    names = keys_of(datasets)
    return unpublished_from(names, UNPUBLISHED.rows_among(connection, names))


def unpublished_from(names: dict[bytes, Name], rows: Iterable[Row]) -> set[Name]:
    """Those in rows of ``UNPUBLISHED``."""
    return {names[row[0]] for row in rows}
