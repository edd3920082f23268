"""Writes and reads what was said of single generations, see ``facts.Mark``."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any, Final

from headwater.collector.facts import Mark
from headwater.collector.merging.merge import Merged
from headwater.collector.stores.graph import keys
from headwater.collector.stores.graph.fetching import Fetch, fetch_each
from headwater.collector.stores.graph.transaction import Transaction
from headwater.shared.event import Name


async def write_marks(tx: Transaction, merged: Merged) -> None:
    """Union: what is there stays."""
    await tx.each(_MARK, list(_rows(merged)))


def _rows(merged: Merged) -> Iterator[list[Any]]:
    for (dataset, version, kind, time, event), said in sorted(merged.marks.items()):
        owner, event_id = dataset.hex(), event.hex()
        key = keys.digest(owner, version, kind, time, event_id)
        yield [key, owner, keys.digest(owner, version), version, kind, time, event_id, *said]


async def marks(fetch: Fetch, generations: Collection[tuple[Name, str]]) -> list[Mark]:
    asked = {keys.digest(keys.of(name), version): (name, version) for name, version in generations}
    return [Mark(*asked[row[0]], *row[1:]) for row in await fetch_each(fetch, _OF_GENERATIONS, asked)]


BASE_MARKS: Final = """
MATCH (m:Mark)-[:MARK_OF]->(d:Dataset)
RETURN d.namespace, d.name, m.version, m.kind, m.time, m.event, m.stands, m.reason, m.author
"""
_MARK: Final = """
UNWIND $rows AS row
MATCH (d:Dataset {key: row[1]})
MERGE (m:Mark {key: row[0]})
ON CREATE SET m.generation = row[2], m.version = row[3], m.kind = row[4], m.time = row[5], m.event = row[6],
    m.stands = row[7], m.reason = row[8], m.author = row[9]
MERGE (m)-[:MARK_OF]->(d)
"""
_OF_GENERATIONS: Final = """
UNWIND $rows AS row
MATCH (m:Mark {generation: row})
RETURN collect([row, m.kind, m.time, m.event, m.stands, m.reason, m.author])
"""
