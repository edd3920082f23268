"""Reads back the base facts of runs that derived values come from."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from sqlalchemy import select
from sqlalchemy.engine import Connection

from headwater.collector.facts import Scope
from headwater.collector.merging.runs import LIFECYCLE_FACET, RUN_FACETS, RunBase, empty_base
from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.query import Query, one_of


def read_back(connection: Connection, known: Collection[bytes]) -> dict[bytes, RunBase]:
    """The runs that stood there before, with the batch merged in."""
    heads = {key: (first_time, job) for key, first_time, job in RUNS.rows_among(connection, known)}
    return read_facts(connection, heads)


def read_facts(connection: Connection, heads: Mapping[bytes, tuple[str | None, bytes]]) -> dict[bytes, RunBase]:
    """As ``read_back``, for runs whose first time and job are known."""
    known = heads.keys()
    bases = {key: empty_base(first_time, job) for key, (first_time, job) in heads.items()}
    for key, time, word in _STATES.rows_among(connection, known):
        bases[key].states.append((word, time))
    for key, *mention in _IO.rows_among(connection, known):
        bases[key].mention(*mention)
    for key, scope, dataset, name, raw in _FACETS.rows_among(connection, known):
        bases[key].said(scope, dataset, name, raw)
    return bases


_run, _state, _io, _said, _value = (
    schema.run.c,
    schema.run_state.c,
    schema.run_io.c,
    schema.facet.c,
    schema.facet_value.c,
)
RUNS = Query(select(_run.run, _run.first_time, _run.job), among=_run.run)
_STATES = Query(select(_state.run, _state.time, _state.type), among=_state.run)
_IO = Query(select(_io.run, _io.side, _io.dataset, _io.version, _io.commit_time, _io.time), among=_io.run)
_FACETS = Query(
    select(_said.owner, _said.scope, _said.dataset, _said.name, _value.value)
    .join_from(schema.facet, schema.facet_value, _value.key == _said.value)
    .where(
        one_of(_said.scope, (int(Scope.RUN), int(Scope.OUTPUT))),
        one_of(_said.name, (*sorted(RUN_FACETS), LIFECYCLE_FACET)),
    ),
    among=_said.owner,
)
