"""Every base fact as a line, for the fingerprint: the lines of the ``sql`` store, byte for byte."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

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
from headwater.collector.merging.keys import value_key
from headwater.collector.questions.fingerprint import base_line
from headwater.shared.codec import canonical_json


def base_lines(facts: Iterable[Fact]) -> Iterator[bytes]:
    return (base_line(*_parts(fact)) for fact in facts)


def _parts(fact: Fact) -> tuple[str, *tuple[object, ...]]:
    match fact:
        case JobSeen():
            return ("job", *fact.job, fact.first_time, fact.last_time)
        case DatasetSeen():
            return ("dataset", *fact.dataset, fact.first_time, fact.last_time)
        case RunSeen():
            return ("run", *fact)
        case RunJob():
            return ("run_job", fact.run, fact.rank, fact.time, fact.event_id, *fact.job)
        case RunState():
            return ("run_state", *fact)
        case RunIO():
            return ("run_io", fact.run, int(fact.side), *fact.dataset, fact.version, fact.time, fact.commit_time)
        case FacetSaid():
            return ("facet", int(fact.scope), *_owner(fact), fact.name, fact.time, fact.event_id, _hash(fact.value))
        case DesignIO():
            listed = canonical_json(fact.datasets).decode()
            return ("design", *fact.job, int(fact.side), fact.time, fact.event_id, listed)
        case Lifecycle():
            return ("lifecycle", *fact.dataset, fact.time, fact.change, *(fact.previous or (None, None)))
        case Mark():
            return ("mark", *fact.dataset, *fact[1:])
        case WantSaid():
            listed = canonical_json(fact.partitions).decode()
            return ("want", fact.want, fact.time, fact.event_id, listed, fact.comment)
        case WantRun():
            return ("want_run", fact.want, int(fact.role), fact.run)


def _owner(fact: FacetSaid) -> tuple[str | None, str | None, str | None, str]:
    """(run, namespace, name, version)."""
    if fact.scope >= Scope.INPUT:
        run, namespace, name, version = fact.owner
        return run, namespace, name, version
    if fact.scope in (Scope.JOB, Scope.DATASET):
        return None, fact.owner[0], fact.owner[1], ""
    return fact.owner[0], None, None, ""


def _hash(value: bytes | None) -> str | None:
    return None if value is None else value_key(value).hex()
