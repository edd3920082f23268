"""Merges the facts of a batch in memory, so that each key is written once. The rules: ``headwater.collector.facts``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from headwater.collector.catalog import DELETED_FACET
from headwater.collector.facts import (
    DatasetSeen,
    DesignIO,
    FacetSaid,
    Fact,
    JobSeen,
    Lifecycle,
    Mark,
    RunIO,
    RunJob,
    RunSeen,
    RunState,
    Scope,
    WantRun,
    WantSaid,
)
from headwater.collector.merging.keys import NO_KEY, event_key, name_key, run_key, value_key
from headwater.shared.codec import canonical_json
from headwater.shared.event import Name

RunRowValues = list[Any]
"""[first_time, last_time, job_rank, job_time, job_event, job]."""
SeenRow = list[Any]
"""[namespace, name, first_time, last_time]; no times where the name was only named, by a lineage facet or a link."""
DERIVING_FACETS = frozenset({"parent", "nominalTime", "headwater_attempt", "lifecycleStateChange", DELETED_FACET})
"""Facets that derived values come from."""
FacetKey = tuple[bytes, int, bytes, str, str]
"""(owner, scope, dataset, version, facet name)."""

MarkKey = tuple[bytes, str, str, str, bytes]
"""(dataset, version, kind, time, event id)."""


class Merged:
    """A batch's facts by key; keys are those of the tables."""

    def __init__(self) -> None:
        self.jobs: dict[bytes, SeenRow] = {}
        self.datasets: dict[bytes, SeenRow] = {}
        self.arrived: dict[str, str] = {}
        """Namespace to the time of what came first of it in the batch, see ``NamespaceFacts``."""
        self.runs: dict[bytes, RunRowValues] = {}
        self.states: set[tuple[bytes, str, str]] = set()
        self.io: dict[tuple[bytes, int, bytes, str], list[str | None]] = {}
        self.facets: dict[FacetKey, tuple[str, bytes, bytes | None]] = {}
        self.values: dict[bytes, bytes] = {}
        self.design: dict[tuple[bytes, int], tuple[str, bytes, str]] = {}
        self.lifecycle: set[tuple[bytes, str, str, bytes]] = set()
        self.marks: dict[MarkKey, tuple[bool, str | None, str | None]] = {}
        self.wants: dict[bytes, tuple[str, bytes, str, str | None]] = {}
        """(time, event id, partitions, comment)."""
        self.want_runs: set[tuple[bytes, int, bytes]] = set()
        """(want, role, run)."""
        self.symlinked: set[bytes] = set()
        """Datasets whose symlinks facet was stated or deleted."""
        self._derived_facets: list[FacetKey] = []
        self._hashes: dict[bytes, bytes] = {}
        self._owner: tuple[str, ...] | None = None
        self._scope: Scope | None = None
        self._prefix: tuple[bytes, int, bytes, str] = (NO_KEY, 0, NO_KEY, "")

    def add(self, facts: Iterable[Fact]) -> None:
        for fact in facts:
            kind = type(fact)
            if kind is FacetSaid:  # two facts of three
                self._facet(*fact)
            else:
                _ADD[kind](self, fact)

    def _job_seen(self, fact: JobSeen) -> None:
        self._widen(self.jobs, name_key(fact.job), fact.job, fact.first_time, fact.last_time)

    def _dataset_seen(self, fact: DatasetSeen) -> None:
        self._widen(self.datasets, name_key(fact.dataset), fact.dataset, fact.first_time, fact.last_time)

    def _widen(self, rows: dict[bytes, SeenRow], key: bytes, name: Name, first: str, last: str) -> None:
        row = rows.get(key)
        if row is None:
            rows[key] = [name.namespace, name.name, first, last]
            self.arrived.setdefault(name.namespace, first)
        elif row[2] is None:
            row[2:] = [first, last]
            self.arrived.setdefault(name.namespace, first)
        else:
            row[2] = min(row[2], first)
            row[3] = max(row[3], last)

    def name_dataset(self, name: Name) -> bytes:
        """The name will stand in the table, so that its key can be read back."""
        key = name_key(name)
        self.datasets.setdefault(key, [name.namespace, name.name, None, None])
        return key

    def _run_seen(self, fact: RunSeen) -> None:
        run = run_key(fact.run)
        row = self.runs.get(run)
        if row is None:
            self.runs[run] = [fact.first_time, fact.last_time, -1, "", b"", b""]
            return
        row[0] = fact.first_time if row[0] is None else min(row[0], fact.first_time)
        row[1] = fact.last_time if row[1] is None else max(row[1], fact.last_time)

    def _run_job(self, fact: RunJob) -> None:
        run = run_key(fact.run)
        said = [fact.rank, fact.time, event_key(fact.event_id)]
        row = self.runs.get(run)
        if row is None:
            self.runs[run] = [None, None, *said, name_key(fact.job)]
        elif said > row[2:5]:
            row[2:6] = [*said, name_key(fact.job)]

    def _run_state(self, fact: RunState) -> None:
        self.states.add((run_key(fact.run), fact.time, fact.type))

    def _run_io(self, fact: RunIO) -> None:
        key = (run_key(fact.run), int(fact.side), self.name_dataset(fact.dataset), fact.version)
        times = self.io.get(key)
        if times is None:
            self.io[key] = [fact.time, fact.commit_time]
            return
        times[0] = min(times[0] or fact.time, fact.time)
        if fact.commit_time and (times[1] is None or fact.commit_time < times[1]):
            times[1] = fact.commit_time

    def _facet(
        self, scope: Scope, owner: tuple[str, ...], name: str, time: str, event_id: str, value: bytes | None
    ) -> None:
        if owner is not self._owner or scope is not self._scope:  # facts about one owner stand together
            self._owner, self._scope, self._prefix = owner, scope, _facet_prefix(scope, owner)
        key: FacetKey = (*self._prefix, name)
        if name == "symlinks" and scope is Scope.DATASET:
            self.symlinked.add(key[0])
        if name in DERIVING_FACETS:
            self._derived_facets.append(key)
        hashed: bytes | None = None
        if value is not None:
            hashed = self._hashes.get(value)
            if hashed is None:
                hashed = self._hashes[value] = value_key(value)
                self.values[hashed] = value
        said = (time, event_key(event_id), hashed)
        before = self.facets.get(key)
        if before is None or said[:2] >= before[:2]:
            self.facets[key] = said

    def derived_keys(self) -> set[FacetKey]:
        """Keys of the facets that derived values come from, deleted ones too."""
        return set(self._derived_facets)

    def derived_facets(self) -> Iterator[tuple[bytes, int, bytes, str, bytes]]:
        """(owner, scope, dataset, name, value) of the facets that derived values come from."""
        for key in self.derived_keys():
            value = self.facets[key][2]
            if value is not None:
                yield key[0], key[1], key[2], key[4], self.values[value]

    def _design(self, fact: DesignIO) -> None:
        key = (name_key(fact.job), int(fact.side))
        said = (fact.time, event_key(fact.event_id), canonical_json(fact.datasets).decode())
        if key not in self.design or said > self.design[key]:
            self.design[key] = said

    def _lifecycle(self, fact: Lifecycle) -> None:
        previous = self.name_dataset(fact.previous) if fact.previous else NO_KEY
        self.lifecycle.add((name_key(fact.dataset), fact.time, fact.change, previous))

    def _mark(self, fact: Mark) -> None:
        key = (self.name_dataset(fact.dataset), fact.version, fact.kind, fact.time, event_key(fact.event_id))
        self.marks[key] = (fact.stands, fact.reason, fact.author)

    def _want_said(self, fact: WantSaid) -> None:
        key, listed = run_key(fact.want), canonical_json(fact.partitions).decode()
        said = (fact.time, event_key(fact.event_id), listed, fact.comment)
        if key not in self.wants or said[:2] > self.wants[key][:2]:
            self.wants[key] = said

    def _want_run(self, fact: WantRun) -> None:
        self.want_runs.add((run_key(fact.want), int(fact.role), run_key(fact.run)))


def _facet_prefix(scope: Scope, owner: tuple[str, ...]) -> tuple[bytes, int, bytes, str]:
    """(owner, scope, dataset, version)."""
    if scope >= Scope.INPUT:
        return run_key(owner[0]), int(scope), name_key(Name(owner[1], owner[2])), owner[3]
    if scope <= Scope.RUN_JOB:
        return run_key(owner[0]), int(scope), NO_KEY, ""
    return name_key(Name(owner[0], owner[1])), int(scope), NO_KEY, ""


_ADD: dict[type, Callable[[Merged, Any], None]] = {
    JobSeen: Merged._job_seen,
    DatasetSeen: Merged._dataset_seen,
    RunSeen: Merged._run_seen,
    RunJob: Merged._run_job,
    RunState: Merged._run_state,
    RunIO: Merged._run_io,
    DesignIO: Merged._design,
    Lifecycle: Merged._lifecycle,
    Mark: Merged._mark,
    WantSaid: Merged._want_said,
    WantRun: Merged._want_run,
}
