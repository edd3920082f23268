"""The base facts of runs out of a batch, and what is derived from them.

Everything here is a function of base facts, so the order of batches does not matter.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

import orjson

from headwater.collector.derive.logical import logical_key
from headwater.collector.derive.outputs import Mention, derive_written
from headwater.collector.derive.state import derive_state
from headwater.collector.facts import Scope, Side
from headwater.collector.merging.keys import NO_KEY, name_key, run_key, run_text
from headwater.collector.merging.merge import DERIVING_FACETS, Merged
from headwater.collector.projection import nominal_start
from headwater.collector.stores.reading import Facets
from headwater.shared.codec import run_uuid
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

    def said(self, scope: int, dataset: bytes, name: str, value: bytes) -> None:
        """Notes a facet that derived values come from; others are passed over."""
        if scope == Scope.RUN and name in RUN_FACETS:
            self.facets[name] = orjson.loads(value)
        elif scope == Scope.OUTPUT and name == LIFECYCLE_FACET:
            self.change(dataset, orjson.loads(value))

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


def empty_base(first_time: str | None, job: bytes) -> RunBase:
    return RunBase(first_time, job, [], set(), [], {}, {}, {})


def from_batch(merged: Merged, known: Collection[bytes]) -> dict[bytes, RunBase]:
    """The runs that are new with this batch, from the batch alone."""
    bases = {run: empty_base(row[0], row[5]) for run, row in merged.runs.items() if run not in known}
    for run, time, word in merged.states:
        if run in bases:
            bases[run].states.append((word, time))
    for (run, side, dataset, version), (first, commit_time) in merged.io.items():
        if run in bases:
            bases[run].mention(side, dataset, version, commit_time, first or "")
    for owner, scope, dataset, name, value in merged.derived_facets():
        if owner in bases:
            bases[owner].said(scope, dataset, name, value)
    return bases


GenerationKey = tuple[bytes, str, bytes]
"""(dataset, version, run)."""
Change = tuple[bytes, str, str, bytes, bytes]
"""(dataset, commit time, DROP or RENAME, previous, run)."""


class DerivedRun(NamedTuple):
    """A run's derived values."""

    base: RunBase
    columns: tuple[Any, ...]
    """In the order of ``DERIVED_RUN``."""
    pin_time: str | None
    generations: dict[GenerationKey, str | None]
    changes: set[Change]


def derive_run(key: bytes, base: RunBase, job: Name) -> DerivedRun:
    state = derive_state(base.states)
    parent = base.facets.get("parent") or {}
    pin_time = state.started or base.first_time
    generations, changes = derive_written(run_text(key), base.outputs, state, base.lifecycle)
    return DerivedRun(
        base,
        (
            state.state,
            state.contradiction,
            state.started,
            state.ended,
            pin_time,
            nominal_start(base.facets.get("nominalTime")),
            logical_key(job, base.facets),
            _linked(parent, key),
            _linked(parent.get("root"), key),
        ),
        pin_time,
        {(written.dataset, written.version, key): written.commit_time for written in generations},
        {(c.dataset, c.commit_time, *base.lifecycle[c.dataset], key) for c in changes if c.commit_time},
    )


def _linked(link: dict[str, Any] | None, own: bytes) -> bytes | None:
    """A run that names itself has no parent (rule 9)."""
    key = run_key(run_uuid(link["run"]["runId"])) if link else None
    return None if key == own else key
