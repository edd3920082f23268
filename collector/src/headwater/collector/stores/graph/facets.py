"""Writes facets: of runs, jobs and datasets a relationship to the value, which is kept once for all that say the same;
of a run's inputs and outputs see ``mentions``."""

from __future__ import annotations

from typing import Any

from headwater.collector.facts import Scope, Side
from headwater.collector.merging.keys import NO_KEY
from headwater.collector.merging.merge import FacetKey, Merged
from headwater.collector.stores.graph.known import IOKey, Known, KnownFacet
from headwater.collector.stores.graph.mentions import ABSENT, MentionFacet
from headwater.collector.stores.graph.transaction import Transaction

Said = tuple[str, bytes, bytes | None]
"""(time, event, hash of the value)."""


def fresh_facets(merged: Merged, known: Known) -> dict[FacetKey, Said]:
    """What the batch says later than the graph, by (time, event id)."""
    return {key: said for key, said in merged.facets.items() if _is_later(said, known.facets.get(key))}


def winner(key: FacetKey, merged: Merged, known: Known) -> bytes | None:
    """The hash of what holds of a facet that the batch states; None where it was taken away."""
    said, before = merged.facets[key], known.facets.get(key)
    return before.value if before is not None and not _is_later(said, before) else said[2]


def _is_later(said: Said, before: KnownFacet | None) -> bool:
    return before is None or said[:2] > (before.time, before.event)


def mention_facets(merged: Merged, known: Known, fresh: dict[FacetKey, Said]) -> dict[IOKey, list[str]]:
    """The whole list of every mention that the batch says something new of."""
    found: dict[IOKey, list[str]] = {}
    for run, scope, dataset, version, _ in fresh:
        if dataset != NO_KEY:
            found[run, _side(scope), dataset, version] = []
    if not found:
        return found
    now = {key: (before.time, before.event, before.value) for key, before in known.facets.items()} | fresh
    for (run, scope, dataset, version, name), (time, event, value) in now.items():
        listed = found.get((run, _side(scope), dataset, version)) if dataset != NO_KEY else None
        if listed is not None:
            listed.append(MentionFacet(scope, time, event.hex(), value.hex() if value else ABSENT, name).text())
    for listed in found.values():
        listed.sort()
    return found


def _side(scope: int) -> int:
    return int(Side.OUTPUT if scope in (Scope.OUTPUT, Scope.OUTPUT_OWN) else Side.INPUT)


async def write_values(tx: Transaction, merged: Merged, fresh: dict[FacetKey, Said]) -> dict[bytes | None, str]:
    """Each value that is newly said, there; hash to node id."""
    hashes = {value for _, _, value in fresh.values()}
    rows = sorted([value.hex(), merged.values[value].decode()] for value in hashes if value is not None)
    nodes: dict[bytes | None, str] = {}
    for value, node in await tx.each(_VALUES, [*rows, [ABSENT, None]] if None in hashes else rows):
        nodes[None if value == ABSENT else bytes.fromhex(value)] = node
    return nodes


async def write_said(
    tx: Transaction, known: Known, fresh: dict[FacetKey, Said], values: dict[bytes | None, str]
) -> None:
    """Facets of runs, jobs and datasets themselves."""
    rows: dict[str, list[list[Any]]] = {}
    replaced: list[str] = []
    again: list[list[str]] = []
    for key, (time, event, value) in fresh.items():
        owner, scope, dataset, _, name = key
        if dataset != NO_KEY:
            continue
        before = known.facets.get(key)
        if before is not None and before.value == value:
            again.append([before.id, time, event.hex()])
            continue
        if before is not None:
            replaced.append(before.id)
        rows.setdefault(known.owner(scope, owner), []).append([values[value], time, event.hex(), name, scope])
    await tx.each(_DELETE, replaced)
    await tx.each(_SAY_AGAIN, again)
    await tx.each(_SAY, list(rows.items()))


_DELETE = "UNWIND $rows AS row MATCH ()-[r:SAYS]->() WHERE elementId(r) = row DELETE r"
_SAY_AGAIN = """
UNWIND $rows AS row
MATCH ()-[r:SAYS]->() WHERE elementId(r) = row[0] SET r.time = row[1], r.event = row[2]
"""
_VALUES = """
UNWIND $rows AS row
MERGE (v:Value {hash: row[0]}) ON CREATE SET v.body = row[1]
RETURN collect([row[0], elementId(v)])
"""
_SAY = """
UNWIND $rows AS row
MATCH (n) WHERE elementId(n) = row[0]
UNWIND row[1] AS said
MATCH (v) WHERE elementId(v) = said[0]
CREATE (n)-[:SAYS {time: said[1], event: said[2], name: said[3], scope: said[4]}]->(v)
"""
