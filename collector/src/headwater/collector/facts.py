"""Base facts: what one event states about the graph, each with a key and a merge rule.

Facts with one key merge by a rule that is commutative, associative and idempotent, so the stores are a function of the
*set* of events. That is all a store does on write: upsert by rule.

    fact          key                                    merge
    JobSeen       job                                    min first_time, max last_time
    DatasetSeen   dataset                                min first_time, max last_time
    RunSeen       run                                    min first_time, max last_time
    RunJob        run                                    last writer by (rank, time, event id)
    RunState      run, type, time                        union
    RunIO         run, side, dataset, version            min time, min commit time
    FacetSaid     scope, owner, facet name               last writer by (time, event id)
    DesignIO      job, side                              last writer by (time, event id)
    Lifecycle     dataset, time, change, previous        union
    Mark          dataset, version, kind, time, event    union
    WantSaid      want                                   last writer by (time, event id)
    WantRun       want, role, run                        union

One event states one key once (``project`` sees to it), so (time, event id) never ties between different values.
Times are canonical (``headwater.shared.times``): they compare as text. Runs are UUID texts.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Literal, NamedTuple, TypeAlias

from headwater.shared.event import Name


class Side(IntEnum):
    """Which way data flows between a job and a dataset."""

    INPUT = 0
    OUTPUT = 1
    NAMED = 2
    """A source that a lineage facet of the run names: an index for walks, never an input by itself."""


class Scope(IntEnum):
    """What a facet is about. The owner's shape follows from it.

    RUN and RUN_JOB: ``(run,)``; JOB and DATASET: ``(namespace, name)``; the others ``(run, namespace, name, version)``.
    """

    RUN = 0
    RUN_JOB = 1
    """Job facets as one run's events stated them: the code release of that run."""
    JOB = 2
    DATASET = 3
    INPUT = 4
    """Dataset facets of an input, as one run stated them."""
    INPUT_OWN = 5
    """inputFacets."""
    OUTPUT = 6
    OUTPUT_OWN = 7
    """outputFacets."""


class JobSeen(NamedTuple):
    job: Name
    first_time: str
    last_time: str


class DatasetSeen(NamedTuple):
    dataset: Name
    first_time: str
    last_time: str


class RunSeen(NamedTuple):
    """Times of the run's own events; a run that is only named as a parent has none."""

    run: str
    first_time: str
    last_time: str


class RunJob(NamedTuple):
    """Which job a run is of. ``rank`` 1: its own event says so; 0: a child's parent facet does."""

    run: str
    rank: int
    time: str
    event_id: str
    job: Name


class RunState(NamedTuple):
    """A state event: START, RUNNING, FAIL, ABORT or COMPLETE at an event time. Or a word that no ``eventType`` says:
    INTERRUPT, a stale policy's that nothing was heard since that time; QUEUED and DEP_MISS, which set no state."""

    run: str
    type: str
    time: str


class RunIO(NamedTuple):
    """A run read or wrote a dataset; ``version`` is the declared one or ``""``. ``commit_time`` is set by a
    ``headwater_commit`` output facet."""

    run: str
    side: Side
    dataset: Name
    version: str
    time: str
    commit_time: str | None


class FacetSaid(NamedTuple):
    """A facet's value as canonical JSON bytes, or None where ``_deleted`` took it away."""

    scope: Scope
    owner: tuple[str, ...]
    name: str
    time: str
    event_id: str
    value: bytes | None


class DesignIO(NamedTuple):
    """What a JobEvent says a job reads or writes: replaced whole by a later one, never evidence."""

    job: Name
    side: Side
    time: str
    event_id: str
    datasets: tuple[Name, ...]


class Lifecycle(NamedTuple):
    """A DatasetEvent's lifecycleStateChange. (A run's are facets of its outputs and count when the run commits.)"""

    dataset: Name
    time: str
    change: str
    previous: Name | None


MarkKind: TypeAlias = Literal["withdrawn", "bad"]


class Mark(NamedTuple):
    """Somebody's word on one generation: withdrawn or bad from ``time`` on, or (``stands`` false) no longer so. Every
    word is kept, so that the past can be asked about."""

    dataset: Name
    version: str
    kind: MarkKind
    time: str
    event_id: str
    stands: bool
    reason: str | None
    author: str | None


class WantRole(IntEnum):
    """What a run has to do with a want."""

    SERVES = 0
    """It is scheduled for it."""
    SPAWNED = 1
    """Its dep-miss asks for it."""


class WantSaid(NamedTuple):
    """Somebody wants these partitions (sorted); each is a dataset. ``want`` is a UUID text."""

    want: str
    time: str
    event_id: str
    partitions: tuple[Name, ...]
    comment: str | None


class WantRun(NamedTuple):
    want: str
    role: WantRole
    run: str


Fact: TypeAlias = (
    JobSeen
    | DatasetSeen
    | RunSeen
    | RunJob
    | RunState
    | RunIO
    | FacetSaid
    | DesignIO
    | Lifecycle
    | Mark
    | WantSaid
    | WantRun
)


class Problem(NamedTuple):
    """A part of an accepted event that could not be read; it stays in the document and is left out of the graph."""

    where: str
    """JSON pointer into the event."""
    message: str


class Projection(NamedTuple):
    """All that one event says."""

    facts: list[Fact]
    problems: list[Problem]
