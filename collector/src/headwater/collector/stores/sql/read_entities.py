"""Reads of jobs, datasets, the names they go by and the edges between them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import orjson
from sqlalchemy import Table, func, select
from sqlalchemy.engine import Connection

from headwater.collector.facts import Scope, Side
from headwater.collector.stores.reading import DatasetFacts, Drop, Facets, JobEdge, JobFacts, Link
from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.bases import chunks
from headwater.collector.stores.sql.selecting import keys_of, rows_in
from headwater.shared.event import Name

_job, _dataset, _edge, _facet, _value = (
    schema.job.c,
    schema.dataset.c,
    schema.job_edge.c,
    schema.facet.c,
    schema.facet_value.c,
)
_symlink, _lifecycle = schema.symlink.c, schema.lifecycle.c


def links(connection: Connection, datasets: Collection[Name]) -> list[Link]:
    a, b = schema.dataset.alias("a"), schema.dataset.alias("b")
    ends = (a.c.namespace, a.c.name, b.c.namespace, b.c.name)
    symlinks = (
        select(*ends)
        .select_from(schema.symlink)
        .join(a, a.c.key == _symlink.dataset)
        .join(b, b.c.key == _symlink.other)
    )
    renames = (
        select(*ends, _lifecycle.time)
        .select_from(schema.lifecycle)
        .join(a, a.c.key == _lifecycle.previous)
        .join(b, b.c.key == _lifecycle.dataset)
        .where(_lifecycle.change == "RENAME")
    )
    found: set[Link] = set()
    for keys in chunks(keys_of(datasets)):
        for column in (_symlink.dataset, _symlink.other):
            for row in connection.execute(symlinks.where(column.in_(keys))):
                found.add(Link(Name(row[0], row[1]), Name(row[2], row[3]), None))
        for column in (_lifecycle.dataset, _lifecycle.previous):
            for renamed in connection.execute(renames.where(column.in_(keys))):
                found.add(Link(Name(renamed[0], renamed[1]), Name(renamed[2], renamed[3]), renamed[4]))
    return sorted(found, key=lambda link: (link.a, link.b, link.renamed_at or ""))


def carriers(connection: Connection, datasets: Collection[Name]) -> set[Name]:
    names = keys_of(datasets)
    rows = rows_in(connection, select(_dataset.key).where(_dataset.carrier), _dataset.key, names)
    return {names[row[0]] for row in rows}


def drops(connection: Connection, datasets: Collection[Name]) -> list[Drop]:
    names = keys_of(datasets)
    statement = select(_lifecycle.dataset, _lifecycle.time).where(_lifecycle.change == "DROP")
    return [Drop(names[row[0]], row[1]) for row in rows_in(connection, statement, _lifecycle.dataset, names)]


def job_edges(connection: Connection, jobs: Collection[Name], datasets: Collection[Name]) -> list[JobEdge]:
    statement = (
        select(_job.namespace, _job.name, _edge.side, _dataset.namespace, _dataset.name, _edge.last_time)
        .join_from(schema.job_edge, schema.job, _job.key == _edge.job)
        .join(schema.dataset, _dataset.key == _edge.dataset)
        .where(_edge.last_time >= _job.edges_since)
    )
    found: set[JobEdge] = set()
    for column, names in ((_edge.job, jobs), (_edge.dataset, datasets)):
        for row in rows_in(connection, statement, column, keys_of(names)):
            found.add(JobEdge(Name(row[0], row[1]), Side(row[2]), Name(row[3], row[4]), row[5]))
    return sorted(found)


def datasets(connection: Connection, names: Collection[Name]) -> dict[Name, DatasetFacts]:
    keys = keys_of(names)
    said = _facets(connection, keys, Scope.DATASET)
    statement = select(_dataset.key, _dataset.first_time, _dataset.last_time).where(_dataset.first_time.isnot(None))
    return {
        keys[key]: DatasetFacts(keys[key], first, last, said.get(key, {}))
        for key, first, last in rows_in(connection, statement, _dataset.key, keys)
    }


def jobs(connection: Connection, names: Collection[Name]) -> dict[Name, JobFacts]:
    keys = keys_of(names)
    said = _facets(connection, keys, Scope.JOB)
    design: dict[bytes, dict[Side, tuple[Name, ...]]] = {}
    table = schema.design_io.c
    for key, side, listed in rows_in(connection, select(table.job, table.side, table.datasets), table.job, keys):
        design.setdefault(key, {})[Side(side)] = tuple(Name(*pair) for pair in orjson.loads(listed))
    statement = select(_job.key, _job.first_time, _job.last_time)
    return {
        keys[key]: JobFacts(keys[key], first, last, said.get(key, {}), design.get(key, {}))
        for key, first, last in rows_in(connection, statement, _job.key, keys)
    }


def _facets(connection: Connection, keys: Collection[bytes], scope: Scope) -> dict[bytes, Facets]:
    statement = (
        select(_facet.owner, _facet.name, _value.value)
        .join_from(schema.facet, schema.facet_value, _value.key == _facet.value)
        .where(_facet.scope == int(scope))
    )
    found: dict[bytes, Facets] = {}
    for key, name, value in rows_in(connection, statement, _facet.owner, keys):
        found.setdefault(key, {})[name] = orjson.loads(value)
    return found


def list_jobs(connection: Connection, namespace: str | None, limit: int, offset: int) -> tuple[int, list[Name]]:
    return _page(connection, schema.job, namespace, (_job.last_time.desc(), _job.namespace, _job.name), limit, offset)


def list_datasets(connection: Connection, namespace: str | None, limit: int, offset: int) -> tuple[int, list[Name]]:
    return _page(connection, schema.dataset, namespace, (_dataset.namespace, _dataset.name), limit, offset)


def _page(
    connection: Connection, table: Table, namespace: str | None, order: tuple[Any, ...], limit: int, offset: int
) -> tuple[int, list[Name]]:
    wanted: list[Any] = [table.c.first_time.isnot(None)]
    if namespace is not None:
        wanted.append(table.c.namespace == namespace)
    total = connection.execute(select(func.count()).select_from(table).where(*wanted)).scalar_one()
    page = select(table.c.namespace, table.c.name).where(*wanted).order_by(*order).limit(limit).offset(offset)
    return int(total), [Name(row[0], row[1]) for row in connection.execute(page)]


def namespaces(connection: Connection) -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for table in (schema.job, schema.dataset):
        statement = (
            select(table.c.namespace, func.min(table.c.first_time), func.max(table.c.last_time))
            .where(table.c.first_time.isnot(None))
            .group_by(table.c.namespace)
        )
        for namespace, first, last in connection.execute(statement):
            before = found.get(namespace, (first, last))
            found[namespace] = (min(before[0], first), max(before[1], last))
    return found
