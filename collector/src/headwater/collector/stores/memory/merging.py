"""The merge rules of ``facts`` at their plainest."""

from __future__ import annotations

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
    WantRun,
    WantSaid,
)


def key_of(fact: Fact) -> tuple[object, ...]:
    """What identifies the fact: facts with equal keys merge."""
    match fact:
        case JobSeen():
            return ("job", fact.job)
        case DatasetSeen():
            return ("dataset", fact.dataset)
        case RunSeen():
            return ("run", fact.run)
        case RunJob():
            return ("run_job", fact.run)
        case RunState():
            return ("run_state", *fact)
        case RunIO():
            return ("run_io", fact.run, fact.side, fact.dataset, fact.version)
        case FacetSaid():
            return ("facet", fact.scope, fact.owner, fact.name)
        case DesignIO():
            return ("design", fact.job, fact.side)
        case Lifecycle():
            return ("lifecycle", *fact)
        case Mark():
            return ("mark", *fact[:5])
        case WantSaid():
            return ("want", fact.want)
        case WantRun():
            return ("want_run", *fact)


def merge(a: Fact, b: Fact) -> Fact:
    """One fact from two with one key. Commutative, associative and idempotent."""
    match a, b:
        case JobSeen(), JobSeen():
            return JobSeen(a.job, *_span(a, b))
        case DatasetSeen(), DatasetSeen():
            return DatasetSeen(a.dataset, *_span(a, b))
        case RunSeen(), RunSeen():
            return RunSeen(a.run, *_span(a, b))
        case RunJob(), RunJob():
            return max(a, b, key=lambda fact: (fact.rank, fact.time, fact.event_id, fact.job))
        case RunIO(), RunIO():
            commits = [time for time in (a.commit_time, b.commit_time) if time is not None]
            return a._replace(time=min(a.time, b.time), commit_time=min(commits, default=None))
        case FacetSaid(), FacetSaid():
            return max(a, b, key=lambda fact: (fact.time, fact.event_id, fact.value is not None, fact.value or b""))
        case WantSaid(), WantSaid():
            return max(a, b, key=lambda fact: (fact.time, fact.event_id, fact.partitions, fact.comment or ""))
        case DesignIO(), DesignIO():
            return max(a, b, key=lambda fact: (fact.time, fact.event_id, fact.datasets))
        case _:
            if a != b:
                raise ValueError(f"these facts have no common key: {a} and {b}")
            return a


def _span(a: JobSeen | DatasetSeen | RunSeen, b: JobSeen | DatasetSeen | RunSeen) -> tuple[str, str]:
    return min(a.first_time, b.first_time), max(a.last_time, b.last_time)
