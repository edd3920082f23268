"""Reads of runs."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from typing import Any

from sqlalchemy import and_, bindparam, func, or_, select
from sqlalchemy.engine import Connection
from sqlalchemy.sql.elements import ColumnElement

from headwater.collector.facts import Scope, Side
from headwater.collector.merging.keys import name_key, run_key, run_text
from headwater.collector.stores.reading import IO, Facets, OutputFacet, RunFacts, RunFilter, RunRow
from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.bounded import same_text
from headwater.collector.stores.sql.names import DATASETS
from headwater.collector.stores.sql.query import Query, Row, one_of, rows_of_all
from headwater.collector.stores.sql.selecting import keys_of
from headwater.collector.stores.sql.values import VALUES
from headwater.shared.event import Name

_run, _job, _io, _facet = schema.run.c, schema.job.c, schema.run_io.c, schema.facet.c
_ROW: Any = select(
    _run.run,
    _job.namespace,
    _job.name,
    _run.state,
    _run.contradiction,
    _run.started,
    _run.ended,
    _run.first_time,
    _run.last_time,
    _run.logical_key,
    _run.nominal_start,
    _run.parent,
    _run.root,
).outerjoin_from(schema.run, schema.job, _job.key == _run.job)
_ROWS = Query(_ROW, among=_run.run)
_LATEST = Query(
    _ROW.where(_run.job == bindparam("job")).order_by(_run.first_time.desc(), _run.run.desc()).limit(bindparam("each"))
)
_HEAD = Query(
    select(_run.run, _job.namespace, _job.name, _run.first_time, _run.last_time, _run.job_time).outerjoin_from(
        schema.run, schema.job, _job.key == _run.job
    ),
    among=_run.run,
)
_STATES = Query(
    select(schema.run_state.c.run, schema.run_state.c.type, schema.run_state.c.time),
    among=schema.run_state.c.run,
)
_IOS = Query(select(_io.run, _io.side, _io.dataset, _io.version, _io.commit_time), among=_io.run)
_FACETS: Any = select(
    _facet.owner,
    _facet.scope,
    _facet.dataset,
    _facet.version,
    _facet.name,
    _facet.time,
    _facet.event_id,
    _facet.value,
)
_SIDES = {int(side): side for side in Side}
_SCOPES = {int(scope): scope for scope in Scope}
_not_described = one_of(_facet.scope, (int(scope) for scope in Scope if scope not in (Scope.INPUT, Scope.OUTPUT)))


def runs(
    connection: Connection,
    wanted: Collection[str],
    io: bool,
    facets: Collection[str] | None,
    described: Collection[str] | None,
) -> dict[str, RunFacts]:
    return runs_beside(connection, wanted, io, facets, described)[0]


def runs_beside(
    connection: Connection,
    wanted: Collection[str],
    io: bool,
    facets: Collection[str] | None,
    described: Collection[str] | None,
    *beside: Query,
) -> tuple[dict[str, RunFacts], list[list[Row]]]:
    """The runs; and the rows of other queries for their keys, which come with them in one trip."""
    keys = [run_key(run) for run in wanted]
    wanted_facets = _facets_query(*(None if each is None else tuple(sorted(each)) for each in (facets, described)))
    queries = [_HEAD, _STATES, wanted_facets, *([_IOS] if io else [])]
    heads, state_rows, said_rows, *others = rows_of_all(connection, keys, *queries, *beside)
    states: dict[bytes, list[tuple[str, str]]] = {}
    for key, word, time in state_rows:
        states.setdefault(key, []).append((word, time))
    mentioned = others.pop(0) if io else []
    names = DATASETS.read(connection, {row[2] for row in mentioned} | {row[2] for row in said_rows if row[2]})
    mentions: dict[bytes, list[IO]] = {}
    for key, side, dataset, version, commit in mentioned:
        mentions.setdefault(key, []).append(IO(_SIDES[side], names[dataset], version, commit))
    said = _facets(connection, said_rows, names)
    nothing = _Said()
    found = {}
    for key, namespace, name, first, last, named in heads:
        of_run = said.get(key, nothing)
        found[run_text(key)] = RunFacts(
            run_text(key),
            None if name is None else Name(namespace, name),
            first,
            last,
            tuple(states.get(key, ())),
            tuple(mentions.get(key, ())),
            of_run.facets,
            of_run.job_facets,
            of_run.io_facets,
            tuple(of_run.output_facets),
            named,
        )
    return found, others


_RUN_JOB, _OUTPUT = int(Scope.RUN_JOB), int(Scope.OUTPUT)


class _Said:
    """The facets of one run."""

    def __init__(self) -> None:
        self.facets: Facets = {}
        self.job_facets: Facets = {}
        self.io_facets: dict[tuple[Scope, Name, str], Facets] = {}
        self.output_facets: list[OutputFacet] = []

    def add(
        self,
        scope: int,
        dataset: Name,
        version: str,
        name: str,
        said: tuple[str, str],
        value: dict[str, Any] | None,
    ) -> None:
        """What is said of a dataset."""
        if scope == _OUTPUT:
            self.output_facets.append(OutputFacet(dataset, version, name, said, value))
        if value is not None:
            self.io_facets.setdefault((_SCOPES[scope], dataset, version), {})[name] = value


def _facets(connection: Connection, rows: list[Row], names: dict[bytes, Name]) -> dict[bytes, _Said]:
    values = VALUES.read(connection, {row[7] for row in rows if row[7] is not None})
    found: dict[bytes, _Said] = {}
    for owner, scope, dataset, version, name, time, event_id, value in rows:
        of_run = found.get(owner)
        if of_run is None:
            of_run = found[owner] = _Said()
        said = None if value is None else values[value]
        if scope > _RUN_JOB:
            of_run.add(scope, names[dataset], version, name, (time, event_id.hex()), said)
        elif said is not None:
            (of_run.job_facets if scope == _RUN_JOB else of_run.facets)[name] = said
    return found


@lru_cache(maxsize=64)
def _facets_query(names: tuple[str, ...] | None, described: tuple[str, ...] | None) -> Query:
    wanted = _FACETS
    if names is not None:
        wanted = wanted.where(one_of(_facet.name, names))
    if described is not None:
        wanted = wanted.where(or_(_not_described, *(_facet.name == name for name in described)))
    return Query(wanted, among=_facet.owner)


def run_rows(connection: Connection, wanted: Collection[str]) -> dict[str, RunRow]:
    rows = (_row(row) for row in _ROWS.rows_among(connection, [run_key(run) for run in wanted]))
    return {row.run: row for row in rows}


def _row(row: Any) -> RunRow:
    run, namespace, name, state, contradiction, started, ended, first, last, key, nominal, parent, root = row
    return RunRow(
        run_text(run),
        None if name is None else Name(namespace, name),
        state,
        bool(contradiction),
        started,
        ended,
        first,
        last,
        key,
        nominal,
        parent and run_text(parent),
        root and run_text(root),
    )


_ATTEMPTS = Query(
    _ROW.where(same_text(_run.logical_key, bindparam("key")))
    .order_by(_run.first_time, _run.run)
    .limit(bindparam("limit"))
)
"""Of one logical run: part of every evidence, so compiled once."""


def list_runs(connection: Connection, where: RunFilter, limit: int) -> list[RunRow]:
    if where.logical_key is not None and where == RunFilter(logical_key=where.logical_key, oldest_first=True):
        return [_row(row) for row in _ATTEMPTS.rows(connection, key=where.logical_key, limit=limit)]
    order: tuple[Any, ...] = (_run.first_time, _run.run)
    statement = _filtered(_ROW, where)
    if not where.oldest_first:
        order = (_run.first_time.desc(), _run.run.desc())
    return [_row(row) for row in connection.execute(statement.order_by(*order).limit(limit))]


def count_runs(connection: Connection, where: RunFilter) -> int:
    statement = _filtered(select(func.count()).select_from(schema.run), where._replace(before=None))
    return int(connection.execute(statement).scalar_one())


def _filtered(statement: Any, where: RunFilter) -> Any:
    conditions: list[ColumnElement[bool]] = []
    if where.job is not None:
        conditions.append(_run.job == name_key(where.job))
    if where.state is not None:
        conditions.append(_run.state == where.state)
    if where.since is not None:
        conditions.append(_run.first_time >= where.since)
    if where.parent is not None:
        conditions.append(_run.parent == run_key(where.parent))
    if where.logical_key is not None:
        conditions.append(same_text(_run.logical_key, where.logical_key))
    if where.before is not None:
        time, run = where.before
        key = run_key(run)
        if time:
            later = or_(_run.first_time < time, and_(_run.first_time == time, _run.run < key))
            conditions.append(or_(later, _run.first_time.is_(None)))
        else:
            conditions.append(and_(_run.first_time.is_(None), _run.run < key))
    return statement.where(*conditions)


def latest_runs(connection: Connection, jobs: Collection[Name], each: int) -> dict[Name, list[RunRow]]:
    """One index look-up a job; a window function would read the whole history."""
    names = keys_of(jobs)
    answers = _LATEST.rows_each(connection, [{"job": key, "each": each} for key in names])
    return {name: [_row(row) for row in rows] for name, rows in zip(names.values(), answers, strict=True)}
