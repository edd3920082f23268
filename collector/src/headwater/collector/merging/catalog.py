"""What a batch says of namespaces, and what it deletes."""

from __future__ import annotations

from typing import NamedTuple

import orjson

from headwater.collector.catalog import DELETED_FACET, NAMESPACES, is_reserved
from headwater.collector.facts import Scope
from headwater.collector.merging.keys import name_key
from headwater.collector.merging.merge import Merged
from headwater.shared.event import Name


class Deletions(NamedTuple):
    """What a batch deletes, each up to a canonical time."""

    jobs: dict[bytes, str]
    datasets: dict[bytes, str]
    namespaces: dict[str, str]


def namespace_key(namespace: str) -> bytes:
    """That of its entry in the catalog."""
    return name_key(Name(NAMESPACES, namespace))


def first_seen(merged: Merged) -> dict[str, str]:
    """Namespaces of the batch's jobs and datasets, and those that the catalog describes, to the earliest time."""
    found: dict[str, str] = {}
    for rows in (merged.jobs, merged.datasets):
        for namespace, name, first, _ in rows.values():
            if first is None:
                continue
            if is_reserved(namespace):
                if namespace != NAMESPACES:
                    continue
                namespace = name
            if first < found.get(namespace, "~"):
                found[namespace] = first
    return found


def deletions_of(merged: Merged) -> Deletions:
    """The deletions that a batch states."""
    found = Deletions({}, {}, {})
    for owner, scope, _, name, value in merged.derived_facets():
        if name != DELETED_FACET:
            continue
        time: str = orjson.loads(value)["asOf"]
        if scope == Scope.JOB:
            found.jobs[owner] = time
        elif scope == Scope.DATASET:
            found.datasets[owner] = time
            namespace, entry, *_ = merged.datasets[owner]
            if namespace == NAMESPACES:
                found.namespaces[entry] = time
    return found
