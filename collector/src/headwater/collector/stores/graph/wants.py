"""Writes and reads wants, see ``facts.WantSaid`` and ``facts.WantRun``."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

import orjson

from headwater.collector.facts import WantRole
from headwater.collector.merging.keys import run_text
from headwater.collector.merging.merge import Merged
from headwater.collector.stores.graph.fetching import Fetch, fetch_each
from headwater.collector.stores.graph.known import Known
from headwater.collector.stores.graph.transaction import Transaction
from headwater.collector.stores.reading import LinkKind, WantFacts, WantLinks, WantQuery
from headwater.shared.event import Name

KINDS: Final = {WantRole.SERVES: "SERVES", WantRole.SPAWNED: "SPAWNED"}


async def write_wants(tx: Transaction, merged: Merged, known: Known) -> None:
    """The last writer says what is wanted; what ties runs to wants stays. Wants are locked in order."""
    named = {key for key, _, _ in merged.want_runs} | merged.wants.keys()
    await tx.each(_THERE, [run_text(key) for key in sorted(named)])
    said = sorted(merged.wants.items())
    await tx.each(_SAID, [[run_text(key), time, event.hex(), *rest] for key, (time, event, *rest) in said])
    for role, kind in KINDS.items():
        links = sorted((run, want) for want, each, run in merged.want_runs if each == role)
        rows = [[known.runs[run], run_text(want), f"{run_text(want)} {run_text(run)}"] for run, want in links]
        await tx.each(_LINK % kind, rows)
    await tx.each(_SPAWNING, sorted({known.runs[run] for _, _, run in merged.want_runs}))


async def wants(fetch: Fetch, wanted: Collection[str]) -> dict[str, WantFacts]:
    rows = await fetch_each(fetch, _WANTS, wanted)
    return {row[0]: WantFacts(row[0], row[1], _names(row[2]), row[3]) for row in rows}


def _names(listed: str) -> tuple[Name, ...]:
    return tuple(Name(*each) for each in orjson.loads(listed))


async def want_links(fetch: Fetch, queries: Sequence[WantQuery], limit: int) -> list[WantLinks]:
    totals, ids = [0] * len(queries), [list[str]() for _ in queries]
    for kind, (page, count) in _LINKS.items():
        rows = [[number, each.key, each.since] for number, each in enumerate(queries) if each.kind == kind]
        for number, total in await fetch_each(fetch, count, rows):
            totals[number] = total
        for number, found in await fetch_each(fetch, page, rows, limit=limit):
            ids[number].append(found)
    return [WantLinks(total, tuple(found)) for total, found in zip(totals, ids, strict=True)]


BASE_WANTS: Final = "MATCH (w:Want) WHERE w.time IS NOT NULL RETURN w.id, w.time, w.event, w.partitions, w.comment"
BASE_LINKS: Final = "MATCH (n:Run)-[:%s]->(w:Want) RETURN w.id, %d, n.id"
_THERE: Final = "UNWIND $rows AS row MERGE (w:Want {id: row}) SET w.lock = true"
_SAID: Final = """
UNWIND $rows AS row
MATCH (w:Want {id: row[0]}) WHERE w.time IS NULL OR row[1] > w.time OR (row[1] = w.time AND row[2] > w.event)
SET w.time = row[1], w.event = row[2], w.partitions = row[3], w.comment = row[4]
"""
_LINK: Final = """
UNWIND $rows AS row
MATCH (n) WHERE elementId(n) = row[0]
MATCH (w:Want {id: row[1]})
MERGE (n)-[r:%s]->(w) ON CREATE SET r.at = row[2]
"""
_SPAWNING: Final = """
UNWIND $rows AS row
MATCH (n)-[r:SERVES]->(w:Want) WHERE elementId(n) = row AND r.spawning IS NULL AND EXISTS { (n)-[:SPAWNED]->() }
SET r.spawning = w.id
"""
_WANTS: Final = """
UNWIND $rows AS row
MATCH (w:Want {id: row}) WHERE w.time IS NOT NULL
RETURN collect([row, w.time, w.partitions, w.comment])
"""
_OF_WANT: Final = """
UNWIND $rows AS row
CALL (row) {
    MATCH (n:Run)-[r:%s]->() WHERE r.at >= row[1] + ' ' + row[2] AND r.at < row[1] + ' ~'
    RETURN n.id AS found ORDER BY r.at LIMIT $limit
}
WITH row, found ORDER BY row[0], found
RETURN collect([row[0], found])
"""
_OF_RUN: Final = """
UNWIND $rows AS row
CALL (row) {
    MATCH (:Run {id: row[1]})-[:%s]->(w:Want) WHERE w.id >= row[2] RETURN w.id AS found ORDER BY found LIMIT $limit
}
WITH row, found ORDER BY row[0], found
RETURN collect([row[0], found])
"""
_DERIVED: Final = """
UNWIND $rows AS row
CALL (row) {
    MATCH (n:Run)-[r:SERVES]->() WHERE r.spawning = row[1]
    MATCH (n)-[:SPAWNED]->(o:Want) WHERE o.id >= row[2] AND o.id <> row[1]
    RETURN DISTINCT o.id AS found ORDER BY found LIMIT $limit
}
WITH row, found ORDER BY row[0], found
RETURN collect([row[0], found])
"""
_COUNT_OF_WANT: Final = (
    "UNWIND $rows AS row MATCH (w:Want {id: row[1]}) RETURN collect([row[0], COUNT { (w)<-[:%s]-() }])"
)
_COUNT_OF_RUN: Final = (
    "UNWIND $rows AS row MATCH (n:Run {id: row[1]}) RETURN collect([row[0], COUNT { (n)-[:%s]->() }])"
)
"""Neo4j keeps how many relationships of a kind a node has."""
_COUNT_DERIVED: Final = """
UNWIND $rows AS row
CALL (row) {
    MATCH (n:Run)-[r:SERVES]->() WHERE r.spawning = row[1]
    MATCH (n)-[:SPAWNED]->(o:Want) WHERE o.id <> row[1]
    RETURN count(DISTINCT o) AS total
}
RETURN collect([row[0], total])
"""
_LINKS: Final[dict[LinkKind, tuple[str, str]]] = {
    "runs": (_OF_WANT % "SERVES", _COUNT_OF_WANT % "SERVES"),
    "spawners": (_OF_WANT % "SPAWNED", _COUNT_OF_WANT % "SPAWNED"),
    "wants": (_OF_RUN % "SERVES", _COUNT_OF_RUN % "SERVES"),
    "spawned": (_OF_RUN % "SPAWNED", _COUNT_OF_RUN % "SPAWNED"),
    "derived": (_DERIVED, _COUNT_DERIVED),
}
