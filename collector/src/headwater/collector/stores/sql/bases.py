"""The base facts of runs that their derived values come from: out of a batch, or read back."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import orjson
from sqlalchemy import select
from sqlalchemy.engine import Connection

from headwater.collector.derive.outputs import Mention
from headwater.collector.facts import Scope, Side
from headwater.collector.stores.reading import Facets
from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.keys import NO_KEY, name_key
from headwater.collector.stores.sql.merge import DERIVING_FACETS, Merged
from headwater.collector.stores.sql.query import Query, one_of
from headwater.shared.event import Name

LIFECYCLE_FACET = "lifecycleStateChange"
RUN_FACETS = DERIVING_FACETS - {LIFECYCLE_FACET}
"""Run facets that derived columns come from."""
NO_GENERATION = frozenset({"DROP", "RENAME"})
"""Lifecycle changes of an output that publish no generation (rule 10)."""


class RunBase(NamedTuple):
    """Keys stand for jobs and datasets."""

    first_time: str | None
    job: bytes
    states: list[tuple[str, str]]
    listed: set[tuple[int, bytes]]
    """(side, dataset) of its inputs and outputs."""
    outputs: list[Mention[bytes]]
    facets: Facets
    lifecycle: dict[bytes, tuple[str, bytes]]
    """Output dataset to (DROP or RENAME, previous dataset)."""
    previous: dict[bytes, Name]
    """The previous datasets by key; a rename may be all that is known of one."""

    def mention(self, side: int, dataset: bytes, version: str, commit_time: str | None, time: str) -> None:
        if side != Side.NAMED:
            self.listed.add((side, dataset))
        if side == Side.OUTPUT:
            self.outputs.append(Mention(dataset, version, commit_time, time))

    def change(self, dataset: bytes, facet: dict[str, Any]) -> None:
        """Notes a lifecycle facet of an output; of several the greatest, so that order does not matter."""
        change = facet["lifecycleStateChange"].upper()
        if change in NO_GENERATION:
            previous = facet.get("previousIdentifier")
            key = NO_KEY
            if previous:
                name = Name(previous["namespace"], previous["name"])
                key = name_key(name)
                self.previous[key] = name
            self.lifecycle[dataset] = max(self.lifecycle.get(dataset, ("", NO_KEY)), (change, key))


def _empty(first_time: str | None, job: bytes) -> RunBase:
    return RunBase(first_time, job, [], set(), [], {}, {}, {})


def from_batch(merged: Merged, known: Collection[bytes]) -> dict[bytes, RunBase]:
    """The runs that are new with this batch, from the batch alone."""
    bases = {run: _empty(row[0], row[5]) for run, row in merged.runs.items() if run not in known}
    for run, time, word in merged.states:
        if run in bases:
            bases[run].states.append((word, time))
    for (run, side, dataset, version), (first, commit_time) in merged.io.items():
        if run in bases:
            bases[run].mention(side, dataset, version, commit_time, first or "")
    for owner, scope, dataset, name, value in merged.derived_facets():
        if owner in bases:
            _facet(bases[owner], scope, dataset, name, value)
    return bases


def _facet(base: RunBase, scope: int, dataset: bytes, name: str, value: bytes) -> None:
    if scope == Scope.RUN and name in RUN_FACETS:
        base.facets[name] = orjson.loads(value)
    elif scope == Scope.OUTPUT and name == LIFECYCLE_FACET:
        base.change(dataset, orjson.loads(value))


def read_back(connection: Connection, known: Collection[bytes]) -> dict[bytes, RunBase]:
    """The runs that stood there before, with the batch merged in."""
    heads = {key: (first_time, job) for key, first_time, job in RUNS.rows_among(connection, known)}
    return read_facts(connection, heads)


def read_facts(connection: Connection, heads: Mapping[bytes, tuple[str | None, bytes]]) -> dict[bytes, RunBase]:
    """As ``read_back``, for runs whose first time and job are known."""
    known = heads.keys()
    bases = {key: _empty(first_time, job) for key, (first_time, job) in heads.items()}
    for key, time, word in _STATES.rows_among(connection, known):
        bases[key].states.append((word, time))
    for key, *mention in _IO.rows_among(connection, known):
        bases[key].mention(*mention)
    for key, scope, dataset, name, raw in _FACETS.rows_among(connection, known):
        _facet(bases[key], scope, dataset, name, raw)
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
