"""What follows from merged facts, worked out all at once and from nothing else: no index, no state kept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

import orjson

from headwater.collector.catalog import DELETED_FACET, NAMESPACES, as_of
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
    Side,
    WantRun,
    WantSaid,
)
from headwater.collector.merging.edges import window_start
from headwater.collector.stores.memory.runs import Change, RunParts, RunView
from headwater.collector.stores.reading import Claim, DatasetFacts, Drop, Facets, JobEdge, JobFacts, Link
from headwater.shared.event import Name


class Mentioned(NamedTuple):
    """A read or write, or a source that a lineage facet names, with the time at which its pin is looked for."""

    io: RunIO
    pin_time: str | None


class View:
    """The graph at one moment."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        self.facts = tuple(facts)
        self._sort()
        self.runs: dict[str, RunView] = {run: parts.view(run) for run, parts in self._parts.items()}
        self.claims: list[Claim] = [claim for run in self.runs.values() for claim in run.claims]
        self.mentions = [Mentioned(io, run.pin_time) for run in self.runs.values() for io in run.io]
        self.jobs = {
            seen.job: JobFacts(
                *seen,
                facets := self._job_facets[seen.job],
                self._designs[seen.job],
                self._deleted(seen.job, facets, seen.last_time),
            )
            for seen in self._jobs_seen
        }
        self.datasets = {
            seen.dataset: DatasetFacts(
                *seen,
                facets := self._dataset_facets[seen.dataset],
                self._deleted(seen.dataset, facets, seen.last_time),
            )
            for seen in self._datasets_seen
        }
        edges = current_edges(self.runs.values())
        self.job_edges: list[JobEdge] = [edge for edge in edges if self._has_ends(edge)]
        self.links = sorted(self._links(), key=lambda link: (link.a, link.b, link.renamed_at or ""))
        self.drops = [Drop(change.dataset, change.time) for change in self._changes() if change.change == "DROP"]

    def _sort(self) -> None:
        self._parts: dict[str, RunParts] = defaultdict(RunParts)
        self._jobs_seen: list[JobSeen] = []
        self._datasets_seen: list[DatasetSeen] = []
        self._job_facets: dict[Name, Facets] = defaultdict(dict)
        self._dataset_facets: dict[Name, Facets] = defaultdict(dict)
        self._designs: dict[Name, dict[Side, tuple[Name, ...]]] = defaultdict(dict)
        self._lifecycles: list[Change] = []
        self.marks: list[Mark] = []
        self.wants: dict[str, WantSaid] = {}
        self.want_runs: list[WantRun] = []
        for fact in self.facts:
            match fact:
                case JobSeen():
                    self._jobs_seen.append(fact)
                case DatasetSeen():
                    self._datasets_seen.append(fact)
                case RunSeen() | RunJob() | RunState() | RunIO():
                    self._parts[fact.run].add(fact)
                case FacetSaid():
                    self._facet(fact)
                case DesignIO():
                    self._designs[fact.job][fact.side] = fact.datasets
                case Lifecycle():
                    self._lifecycles.append(Change(fact.dataset, fact.time, fact.change, fact.previous))
                case Mark():
                    self.marks.append(fact)
                case WantSaid():
                    self.wants[fact.want] = fact
                case WantRun():
                    self.want_runs.append(fact)

    def _facet(self, fact: FacetSaid) -> None:
        if fact.scope not in (Scope.JOB, Scope.DATASET):
            self._parts[fact.owner[0]].said.append(fact)
        elif fact.value is not None:
            by_owner = self._job_facets if fact.scope is Scope.JOB else self._dataset_facets
            by_owner[Name(fact.owner[0], fact.owner[1])][fact.name] = orjson.loads(fact.value)

    def _deleted(self, name: Name, facets: Facets, last_time: str) -> bool:
        """Deleted, itself or with its namespace, and not seen since."""
        of_namespace = self._dataset_facets.get(Name(NAMESPACES, name.namespace), {})
        return max(as_of(each, DELETED_FACET) or "" for each in (facets, of_namespace)) >= last_time

    def _has_ends(self, edge: JobEdge) -> bool:
        job, dataset = self.jobs.get(edge.job), self.datasets.get(edge.dataset)
        return not (job and job.deleted) and not (dataset and dataset.deleted)

    def _changes(self) -> list[Change]:
        """Those of DatasetEvents, and those of committed runs."""
        return self._lifecycles + [change for run in self.runs.values() for change in run.changes]

    def _links(self) -> set[Link]:
        """Rule 10."""
        found = {
            Link(change.previous, change.dataset, change.time)
            for change in self._changes()
            if change.change == "RENAME" and change.previous is not None
        }
        for name, facets in self._dataset_facets.items():
            for identifier in facets.get("symlinks", {}).get("identifiers") or ():
                other = Name(identifier["namespace"], identifier["name"])
                if other != name:
                    found.add(Link(name, other, None))
        return found


def current_edges(runs: Iterable[RunView]) -> list[JobEdge]:
    """Rule 8: what a job's runs had within the window before its last run that named datasets."""
    last: dict[tuple[Name, Side, Name], str] = {}
    newest: dict[Name, str] = {}
    for run in runs:
        job, first = run.row.job, run.row.first_time
        for io in run.io if job is not None and first is not None else ():
            assert job is not None
            assert first is not None
            if io.side is not Side.NAMED:
                key = (job, io.side, io.dataset)
                last[key] = max(last.get(key, ""), first)
                newest[job] = max(newest.get(job, ""), first)
    return sorted(JobEdge(*key, time) for key, time in last.items() if time >= window_start(newest[key[0]]))
