"""Answers about wants by looking at everything."""

from __future__ import annotations

from collections.abc import Collection

from headwater.collector.facts import WantRole
from headwater.collector.stores.memory.view import View
from headwater.collector.stores.reading import LinkKind, WantFacts, WantQuery


def wants(view: View, wanted: Collection[str]) -> dict[str, WantFacts]:
    found = [view.wants[want] for want in wanted if want in view.wants]
    return {said.want: WantFacts(said.want, said.time, said.partitions, said.comment) for said in found}


def linked(view: View, query: WantQuery) -> list[str]:
    """All ids, in order."""
    kind, key = query.kind, query.key
    if kind == "derived":
        serving = _direct(view, "runs", key)
        return sorted({want for run in serving for want in _direct(view, "spawned", run)} - {key})
    return sorted(_direct(view, kind, key))


def _direct(view: View, kind: LinkKind, key: str) -> list[str]:
    role = WantRole.SPAWNED if kind in ("spawners", "spawned") else WantRole.SERVES
    mine = [link for link in view.want_runs if link.role is role]
    if kind in ("runs", "spawners"):
        return [link.run for link in mine if link.want == key]
    return [link.want for link in mine if link.run == key]
