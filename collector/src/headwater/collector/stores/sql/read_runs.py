"""Reads of runs."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import orjson
from sqlalchemy import and_, func, or_, select
from sqlalchemy.engine import Connection
from sqlalchemy.sql.elements import ColumnElement

from headwater.collector.facts import Scope, Side
from headwater.collector.stores.reading import IO, Facets, RunFacts, RunFilter, RunRow
from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.keys import name_key, run_key, run_text
from headwater.collector.stores.sql.selecting import keys_of, rows_in
from headwater.shared.event import Name

_run, _job, _io, _dataset, _facet, _value = (
    schema.run.c,
    schema.job.c,
    schema.run_io.c,
    schema.dataset.c,
    schema.facet.c,
    schema.facet_value.c,
)
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
_HEAD: Any = select(_run.run, _job.namespace, _job.name, _run.first_time, _run.last_time).outerjoin_from(
    schema.run, schema.job, _job.key == _run.job
)
_STATES: Any = select(schema.run_state.c.run, schema.run_state.c.type, schema.run_state.c.time)
_IOS: Any = select(_io.run, _io.side, _dataset.namespace, _dataset.name, _io.version, _io.commit_time).join_from(
    schema.run_io, schema.dataset, _dataset.key == _io.dataset
)
_FACETS: Any = (
    select(_facet.owner, _facet.scope, _dataset.namespace, _dataset.name, _facet.version, _facet.name, _value.value)
    .join_from(schema.facet, schema.facet_value, _value.key == _facet.value)
    .outerjoin(schema.dataset, _dataset.key == _facet.dataset)
)


def runs(
    connection: Connection, wanted: Collection[str], io: bool, facets: Collection[str] | None
) -> dict[str, RunFacts]:
    keys = [run_key(run) for run in wanted]
    states: dict[bytes, list[tuple[str, str]]] = {}
    for key, word, time in rows_in(connection, _STATES, schema.run_state.c.run, keys):
        states.setdefault(key, []).append((word, time))
    mentions: dict[bytes, list[IO]] = {}
    if io:
        for key, side, namespace, name, version, commit in rows_in(connection, _IOS, _io.run, keys):
            mentions.setdefault(key, []).append(IO(Side(side), Name(namespace, name), version, commit))
    said = _facets(connection, keys, facets)
    found = {}
    for key, namespace, name, first, last in rows_in(connection, _HEAD, _run.run, keys):
        of_run = said.get(key, _NOTHING)
        found[run_text(key)] = RunFacts(
            run_text(key),
            None if name is None else Name(namespace, name),
            first,
            last,
            tuple(states.get(key, ())),
            tuple(mentions.get(key, ())),
            of_run[0],
            of_run[1],
            of_run[2],
        )
    return found


_Said = tuple[Facets, Facets, dict[tuple[Scope, Name, str], Facets]]
_NOTHING: _Said = ({}, {}, {})


def _facets(connection: Connection, keys: list[bytes], names: Collection[str] | None) -> dict[bytes, _Said]:
    statement = _FACETS if names is None else _FACETS.where(_facet.name.in_(sorted(names)))
    found: dict[bytes, _Said] = {}
    for owner, scope, namespace, dataset, version, name, value in rows_in(connection, statement, _facet.owner, keys):
        of_run, of_job, of_io = found.setdefault(owner, ({}, {}, {}))
        if scope == Scope.RUN:
            of_run[name] = orjson.loads(value)
        elif scope == Scope.RUN_JOB:
            of_job[name] = orjson.loads(value)
        else:
            of_io.setdefault((Scope(scope), Name(namespace, dataset), version), {})[name] = orjson.loads(value)
    return found


def run_rows(connection: Connection, wanted: Collection[str]) -> dict[str, RunRow]:
    rows = (_row(row) for row in rows_in(connection, _ROW, _run.run, [run_key(run) for run in wanted]))
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


def list_runs(connection: Connection, where: RunFilter, limit: int) -> list[RunRow]:
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
        conditions.append(_run.logical_key == where.logical_key)
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
    found = {}
    for key, name in keys_of(jobs).items():
        statement = _ROW.where(_run.job == key).order_by(_run.first_time.desc(), _run.run.desc()).limit(each)
        found[name] = [_row(row) for row in connection.execute(statement)]
    return found
