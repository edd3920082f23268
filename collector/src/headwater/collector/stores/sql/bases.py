"""The base facts of runs that their derived values come from: out of a batch, or read back."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any, NamedTuple

import orjson
from sqlalchemy import select
from sqlalchemy.engine import Connection

from headwater.collector.derive.outputs import Mention
from headwater.collector.facts import Scope, Side
from headwater.collector.stores.reading import Facets
from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.keys import NO_KEY, name_key
from headwater.collector.stores.sql.merge import Merged
from headwater.shared.event import Name

RUN_FACETS = frozenset({"parent", "nominalTime", "headwater_attempt"})
"""Run facets that derived columns come from."""
LIFECYCLE_FACET = "lifecycleStateChange"
NO_GENERATION = frozenset({"DROP", "RENAME"})
"""Lifecycle changes of an output that publish no generation (rule 10)."""
CHUNK = 400
"""Keys in one IN list."""


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

    def mention(self, side: int, dataset: bytes, version: str, commit_time: str | None) -> None:
        if side != Side.NAMED:
            self.listed.add((side, dataset))
        if side == Side.OUTPUT:
            self.outputs.append(Mention(dataset, version, commit_time))

    def change(self, dataset: bytes, facet: dict[str, Any]) -> None:
        """Notes a lifecycle facet of an output; of several the greatest, so that order does not matter."""
        change = facet["lifecycleStateChange"].upper()
        if change in NO_GENERATION:
            previous = facet.get("previousIdentifier")
            key = name_key(Name(previous["namespace"], previous["name"])) if previous else NO_KEY
            self.lifecycle[dataset] = max(self.lifecycle.get(dataset, ("", NO_KEY)), (change, key))


def chunks(keys: Iterable[Any]) -> Iterator[list[Any]]:
    ordered = list(keys)
    for start in range(0, len(ordered), CHUNK):
        yield ordered[start : start + CHUNK]


def _empty(first_time: str | None, job: bytes) -> RunBase:
    return RunBase(first_time, job, [], set(), [], {}, {})


def from_batch(merged: Merged, known: Collection[bytes]) -> dict[bytes, RunBase]:
    """The runs that are new with this batch, from the batch alone."""
    bases = {run: _empty(row[0], row[5]) for run, row in merged.runs.items() if run not in known}
    for run, time, word in merged.states:
        if run in bases:
            bases[run].states.append((word, time))
    for (run, side, dataset, version), (_, commit_time) in merged.io.items():
        if run in bases:
            bases[run].mention(side, dataset, version, commit_time)
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
    bases: dict[bytes, RunBase] = {}
    run, states, io, facet, value = (schema.run, schema.run_state, schema.run_io, schema.facet, schema.facet_value)
    facets = (
        select(facet.c.owner, facet.c.scope, facet.c.dataset, facet.c.name, value.c.value)
        .join(value, value.c.key == facet.c.value)
        .where(facet.c.scope.in_((int(Scope.RUN), int(Scope.OUTPUT))), facet.c.name.in_((*RUN_FACETS, LIFECYCLE_FACET)))
    )
    mentions = select(io.c.run, io.c.side, io.c.dataset, io.c.version, io.c.commit_time)
    for keys in chunks(known):
        for row in connection.execute(select(run.c.run, run.c.first_time, run.c.job).where(run.c.run.in_(keys))):
            bases[row[0]] = _empty(row[1], row[2])
        for key, time, word in connection.execute(select(states).where(states.c.run.in_(keys))):
            bases[key].states.append((word, time))
        for key, side, dataset, version, commit_time in connection.execute(mentions.where(io.c.run.in_(keys))):
            bases[key].mention(side, dataset, version, commit_time)
        for key, scope, dataset, name, raw in connection.execute(facets.where(facet.c.owner.in_(keys))):
            _facet(bases[key], scope, dataset, name, raw)
    return bases
