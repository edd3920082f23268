"""Namespaces and sources, from the whole view."""

from __future__ import annotations

from collections.abc import Collection

from headwater.collector.catalog import DELETED_FACET, NAMESPACES, as_of, is_reserved
from headwater.collector.facts import FacetSaid, Scope
from headwater.collector.merging.sources import add_source
from headwater.collector.stores.memory.view import View
from headwater.collector.stores.reading import NamespaceFacts, SourceFacts
from headwater.shared import codec


def spans(view: View) -> dict[str, tuple[str, str]]:
    """(first, last) event time of the jobs and datasets of each namespace."""
    found: dict[str, tuple[str, str]] = {}
    seen = [(job.namespace, facts.first_time, facts.last_time) for job, facts in view.jobs.items()]
    seen += [(name.namespace, facts.first_time, facts.last_time) for name, facts in view.datasets.items()]
    for namespace, first, last in seen:
        if not is_reserved(namespace):
            before = found.get(namespace, (first, last))
            found[namespace] = (min(before[0], first), max(before[1], last))
    return found


def namespace_facts(view: View, names: Collection[str] | None) -> list[NamespaceFacts]:
    """By name."""
    lived = spans(view)
    first = {namespace: times[0] for namespace, times in lived.items()}
    gone: dict[str, str | None] = {}
    last = {namespace: times[1] for namespace, times in lived.items()}
    for (space, name), facts in view.datasets.items():
        if space == NAMESPACES:
            first[name] = min(first.get(name, facts.first_time), facts.first_time)
            last[name] = max(last.get(name, facts.last_time), facts.last_time)
            gone[name] = as_of(facts.facets, DELETED_FACET)
    found = []
    for name in sorted(first):
        until = gone.get(name)
        if names is None or name in names:
            hidden = until is not None and last[name] <= until
            found.append(NamespaceFacts(name, first[name], until, hidden, first[name]))
    return found


def sources(view: View) -> list[SourceFacts]:
    """By name and uri."""
    found: dict[tuple[str, str], SourceFacts] = {}
    for fact in view.facts:
        if isinstance(fact, FacetSaid) and fact.scope is Scope.DATASET and fact.name == "dataSource" and fact.value:
            add_source(found, codec.loads_strict(fact.value), fact.time, fact.time)
    return [found[key] for key in sorted(found)]
