"""Reads of jobs, datasets, the names they go by and the edges between them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import Any, NamedTuple

import orjson
from sqlalchemy import Table, Text, bindparam, func, not_, null, select
from sqlalchemy.engine import Connection
from sqlalchemy.sql.elements import ColumnElement

from headwater.collector.facts import Scope, Side
from headwater.collector.stores.reading import DatasetFacts, Drop, Facets, JobEdge, JobFacts, Link
from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.bounded import Beginning, same_text
from headwater.collector.stores.sql.names import DATASETS, JOBS
from headwater.collector.stores.sql.query import Query, Row, rows_among_each, rows_of, rows_of_all
from headwater.collector.stores.sql.selecting import hidden, keys_of, visible
from headwater.collector.stores.sql.tally import names_in
from headwater.collector.stores.sql.values import VALUES
from headwater.shared.event import Name

_job, _dataset, _edge, _facet, _value = (
    schema.job.c,
    schema.dataset.c,
    schema.job_edge.c,
    schema.facet.c,
    schema.facet_value.c,
)
_SIDES = {int(side): side for side in Side}
_symlink, _lifecycle = schema.symlink.c, schema.lifecycle.c


_SYMLINKS: Any = select(_symlink.dataset, _symlink.other, null())
_RENAMES: Any = select(_lifecycle.previous, _lifecycle.dataset, _lifecycle.time).where(_lifecycle.change == "RENAME")
_LINKS = (
    Query(_SYMLINKS, among=_symlink.dataset),
    Query(_SYMLINKS, among=_symlink.other),
    Query(_RENAMES, among=_lifecycle.dataset),
    Query(_RENAMES, among=_lifecycle.previous),
)
_CARRIERS = Query(select(_dataset.key).where(_dataset.carrier), among=_dataset.key)
DROPS = Query(select(_lifecycle.dataset, _lifecycle.time).where(_lifecycle.change == "DROP"), among=_lifecycle.dataset)
"""When these datasets were dropped."""
_EDGES: Any = (
    select(_edge.job, _edge.side, _edge.dataset, _edge.last_time)
    .join_from(schema.job_edge, schema.job, _job.key == _edge.job)
    .join(schema.dataset, _dataset.key == _edge.dataset)
    .where(_edge.last_time >= _job.edges_since, visible(schema.job), visible(schema.dataset))
)
_EDGES_OF_JOBS = Query(_EDGES, among=_edge.job)
_EDGES_OF_DATASETS = Query(_EDGES, among=_edge.dataset)
_EDGES_AND_DATASETS = Query(_EDGES.add_columns(_dataset.namespace, _dataset.name), among=_edge.job)
_EDGES_AND_JOBS = Query(_EDGES.add_columns(_job.namespace, _job.name), among=_edge.dataset)
"""For a server: a trip for the names of what is at the other end takes longer than their way."""
_DATASETS = Query(
    select(_dataset.key, _dataset.first_time, _dataset.last_time, hidden(schema.dataset)).where(
        _dataset.first_time.isnot(None)
    ),
    among=_dataset.key,
)
_JOBS = Query(select(_job.key, _job.first_time, _job.last_time, hidden(schema.job)), among=_job.key)
_DESIGNS = Query(
    select(schema.design_io.c.job, schema.design_io.c.side, schema.design_io.c.datasets), among=schema.design_io.c.job
)
_FACETS = Query(
    select(_facet.owner, _facet.name, _facet.value)
    .where(_facet.value.isnot(None))
    .where(_facet.scope == bindparam("scope")),
    among=_facet.owner,
)


def links(connection: Connection, datasets: Collection[Name]) -> list[Link]:
    rows = {row for rows in rows_of_all(connection, keys_of(datasets), *_LINKS) for row in rows}
    if not rows:  # as for most: no name was looked up for it
        return []
    names = DATASETS.read(connection, (end for row in rows for end in row[:2]))
    found = [Link(names[a], names[b], at) for a, b, at in rows if a in names and b in names]
    return sorted(found, key=lambda link: (link.a, link.b, link.renamed_at or ""))


def carriers(connection: Connection, datasets: Collection[Name]) -> set[Name]:
    names = keys_of(datasets)
    return {names[row[0]] for row in _CARRIERS.rows_among(connection, names)}


def drops(connection: Connection, datasets: Collection[Name]) -> list[Drop]:
    names = keys_of(datasets)
    return drops_from(names, DROPS.rows_among(connection, names))


def drops_from(names: dict[bytes, Name], rows: Iterable[Row]) -> list[Drop]:
    """The drops in rows of ``DROPS``."""
    return [Drop(names[key], time) for key, time in rows]


def job_edges(connection: Connection, jobs: Collection[Name], datasets: Collection[Name]) -> list[JobEdge]:
    if connection.dialect.name == "postgresql":
        found = _edges_with_names(connection, keys_of(jobs), keys_of(datasets))
        return list(dict.fromkeys(found)) if jobs and datasets else found
    rows = [
        row
        for query, names in ((_EDGES_OF_JOBS, jobs), (_EDGES_OF_DATASETS, datasets))
        for row in query.rows_among(connection, keys_of(names))
    ]
    job_names = JOBS.read(connection, [row[0] for row in rows])
    dataset_names = DATASETS.read(connection, [row[2] for row in rows])
    found = [JobEdge(job_names[job], _SIDES[side], dataset_names[dataset], last) for job, side, dataset, last in rows]
    return list(dict.fromkeys(found)) if jobs and datasets else found


def _edges_with_names(connection: Connection, jobs: dict[bytes, Name], datasets: dict[bytes, Name]) -> list[JobEdge]:
    asked = ((_EDGES_AND_DATASETS, list(jobs)), (_EDGES_AND_JOBS, list(datasets)))
    of_jobs, of_datasets = rows_among_each(connection, *asked)
    dataset_names = DATASETS.learn((row[2], *row[4:]) for row in of_jobs)
    job_names = JOBS.learn((row[0], *row[4:]) for row in of_datasets)
    found = [JobEdge(jobs[job], _SIDES[side], dataset_names[end], last) for job, side, end, last, *_ in of_jobs]
    found += [JobEdge(job_names[end], _SIDES[side], datasets[name], last) for end, side, name, last, *_ in of_datasets]
    return found


def datasets(connection: Connection, names: Collection[Name]) -> dict[Name, DatasetFacts]:
    return datasets_beside(connection, names)[0]


def datasets_beside(
    connection: Connection, names: Collection[Name], *beside: Query
) -> tuple[dict[Name, DatasetFacts], list[list[Row]]]:
    """The datasets; and the rows of other queries for their keys, which come with them in one trip."""
    keys = keys_of(names)
    queries = (_DATASETS, _FACETS, *beside)
    seen, said_rows, *others = rows_of_all(connection, keys, *queries, scope=int(Scope.DATASET))
    said = _facets(connection, said_rows)
    found = {
        keys[key]: DatasetFacts(keys[key], first, last, said.get(key, {}), bool(gone))
        for key, first, last, gone in seen
    }
    return found, others


def jobs(connection: Connection, names: Collection[Name]) -> dict[Name, JobFacts]:
    keys = keys_of(names)
    seen, designs, said_rows = rows_of_all(connection, keys, _JOBS, _DESIGNS, _FACETS, scope=int(Scope.JOB))
    said = _facets(connection, said_rows)
    design: dict[bytes, dict[Side, tuple[Name, ...]]] = {}
    for key, side, listed in designs:
        design.setdefault(key, {})[Side(side)] = tuple(Name(*pair) for pair in orjson.loads(listed))
    return {
        keys[key]: JobFacts(keys[key], first, last, said.get(key, {}), design.get(key, {}), bool(gone))
        for key, first, last, gone in seen
    }


def _facets(connection: Connection, rows: list[Row]) -> dict[bytes, Facets]:
    found: dict[bytes, Facets] = {}
    values = VALUES.read(connection, {value for _, _, value in rows})
    for key, name, value in rows:
        found.setdefault(key, {})[name] = values[value]
    return found


def list_jobs(connection: Connection, namespace: str | None, limit: int, offset: int) -> tuple[int, list[Name]]:
    return _page(connection, schema.job, namespace, limit, offset)


def list_datasets(connection: Connection, namespace: str | None, limit: int, offset: int) -> tuple[int, list[Name]]:
    return _page(connection, schema.dataset, namespace, limit, offset)


def _page(
    connection: Connection, table: Table, namespace: str | None, limit: int, offset: int
) -> tuple[int, list[Name]]:
    """All have been counted, see ``tally``, and the few that are hidden are, from an index of theirs."""
    postgres = connection.dialect.name == "postgresql"
    listing = _listing(table, namespace is not None, postgres)
    values: dict[str, Any] = {} if namespace is None else {"namespace": namespace}
    hidden_ones, counted, page = rows_of(
        connection,
        (listing.hidden, values),
        names_in(connection.dialect, table, namespace),
        (listing.page, values | {"limit": limit, "offset": offset}),
    )
    return int(counted[0][0]) - int(hidden_ones[0][0]), [Name(space, name) for space, name in page]


class _Listing(NamedTuple):
    """The statements of one kind of list: how many are deleted, and a page."""

    hidden: Query
    page: Query


@lru_cache(maxsize=8)
def _listing(table: Table, of_namespace: bool, postgres: bool) -> _Listing:
    columns = table.c
    wanted: list[ColumnElement[bool]] = [] if table is schema.job else [columns.first_time.isnot(None)]
    order: tuple[Any, ...] = (columns.last_time.desc(), columns.namespace, columns.name)
    if table is schema.dataset:
        order = (columns.namespace, columns.name)
        if of_namespace:
            order = (Beginning(columns.name), columns.name) if postgres else (columns.name,)
    if of_namespace:
        wanted.append(same_text(columns.namespace, bindparam("namespace", type_=Text)))
    counted = select(func.count()).select_from(table).where(*wanted)
    page = select(columns.namespace, columns.name).where(*wanted, visible(table)).order_by(*order)
    return _Listing(
        Query(counted.where(columns.deleted.isnot(None), not_(visible(table)))),
        Query(page.limit(bindparam("limit")).offset(bindparam("offset")), by_index=True),
    )


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
