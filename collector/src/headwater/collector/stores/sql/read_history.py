"""Reads of the past: edges as they were at a time, and what was there by then."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Literal

from sqlalchemy import bindparam, func, select
from sqlalchemy.engine import Connection

from headwater.collector.catalog import RESERVED
from headwater.collector.facts import Side
from headwater.collector.merging.edges import window_start
from headwater.collector.stores.reading import JobEdge
from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.query import Query, one_of
from headwater.collector.stores.sql.selecting import keys_of, visible
from headwater.shared.event import Name

_run, _io, _job, _dataset, _edge = (
    schema.run.c,
    schema.run_io.c,
    schema.job.c,
    schema.dataset.c,
    schema.job_edge.c,
)
_EDGE_JOBS = Query(
    select(_job.namespace, _job.name).distinct().join_from(schema.job_edge, schema.job, _job.key == _edge.job),
    among=_edge.dataset,
)
_limit: Any = bindparam("limit")
_BEGUN = (
    select(_run.run, _run.first_time)
    .where(_run.job == bindparam("job"), _run.first_time <= bindparam("at"))
    .order_by(_run.first_time.desc(), _run.run.desc())
    .limit(_limit)
    .subquery("begun")
)
_EDGES_AT = Query(
    select(_io.side, _dataset.namespace, _dataset.name, func.max(_BEGUN.c.first_time))
    .join_from(_BEGUN, schema.run_io, _io.run == _BEGUN.c.run)
    .join(schema.dataset, _dataset.key == _io.dataset)
    .where(one_of(_io.side, (int(Side.INPUT), int(Side.OUTPUT))), visible(schema.dataset))
    .group_by(_io.side, _dataset.namespace, _dataset.name)
)


def _between(table: Any) -> Any:
    within = (table.c.first_time >= bindparam("since"), table.c.first_time < bindparam("before"))
    return select(func.count()).select_from(table).where(*within)


_SEEN_BETWEEN = {"job": Query(_between(schema.job)), "dataset": Query(_between(schema.dataset))}
_CATALOG_BETWEEN = Query(  # few, found by their namespaces
    _between(schema.dataset).where(_dataset.namespace >= RESERVED, _dataset.namespace < RESERVED[:-1] + ";")
)


def edge_jobs(connection: Connection, datasets: Collection[Name]) -> set[Name]:
    return {Name(*row) for row in _EDGE_JOBS.rows_among(connection, keys_of(datasets))}


def job_edges_at(connection: Connection, jobs: Collection[Name], at: str, max_runs: int) -> list[JobEdge]:
    found: list[JobEdge] = []
    for key, job in keys_of(jobs).items():
        rows = _EDGES_AT.rows(connection, job=key, at=at, limit=max_runs)
        since = window_start(max((row[3] for row in rows), default=at))
        found += [JobEdge(job, Side(row[0]), Name(row[1], row[2]), row[3]) for row in rows if row[3] >= since]
    return sorted(found)


def seen_before(connection: Connection, kind: Literal["job", "dataset"], times: Sequence[str]) -> list[int]:
    found: list[int] = []
    total, since = 0, ""
    for time in times:
        total += _SEEN_BETWEEN[kind].rows(connection, since=since, before=time)[0][0]
        if kind == "dataset":
            total -= _CATALOG_BETWEEN.rows(connection, since=since, before=time)[0][0]
        found.append(total)
        since = time
    return found
