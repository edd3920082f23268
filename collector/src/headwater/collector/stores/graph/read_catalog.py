"""Reads of namespaces, of sources and of what was never committed."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import orjson

from headwater.collector.catalog import is_reserved
from headwater.collector.merging.catalog import namespace_key
from headwater.collector.merging.sources import add_source
from headwater.collector.stores.graph import keys
from headwater.collector.stores.graph.fetching import Fetch, fetch_each
from headwater.collector.stores.graph.read_generations import keys_of
from headwater.collector.stores.reading import MAX_SOURCES, NamespaceFacts, SourceFacts
from headwater.shared.event import Name


async def namespace_facts(fetch: Fetch, names: Collection[str] | None) -> list[NamespaceFacts]:
    if names is None:
        rows = await fetch(f"MATCH (n:Namespace) {_NAMESPACE}")
    else:
        wanted = sorted({namespace_key(name).hex() for name in names})
        rows = await fetch_each(fetch, f"UNWIND $rows AS row MATCH (n:Namespace {{key: row}}) {_NAMESPACE}", wanted)
    return [
        NamespaceFacts(
            name, first, deleted, deleted is not None and not await _seen_after(fetch, name, deleted), arrived
        )
        for name, first, deleted, arrived in sorted(rows, key=lambda row: str(row[0]))
    ]


async def _seen_after(fetch: Fetch, namespace: str, time: str) -> bool:
    last = await span(fetch, namespace)
    if last is not None and last[1] > time:
        return True
    described = await fetch(_LAST_TIME, key=namespace_key(namespace).hex())
    return bool(described and (described[0][0] or "") > time)


async def span(fetch: Fetch, namespace: str) -> tuple[str, str] | None:
    if is_reserved(namespace):
        return None
    rows: list[list[Any]] = []
    for label in ("Job", "Dataset"):
        rows += await fetch(_SPAN % label, low=keys.sort(Name(namespace, "")), namespace=namespace)
    found = [row for row in rows if row[0] is not None]
    return (min(row[0] for row in found), max(row[1] for row in found)) if found else None


async def sources(fetch: Fetch) -> list[SourceFacts]:
    found: dict[tuple[str, str], SourceFacts] = {}
    for body, first, last in await fetch(_SOURCES, limit=MAX_SOURCES):
        add_source(found, orjson.loads(body), first, last)
    return [found[key] for key in sorted(found)]


async def unpublished(fetch: Fetch, datasets: Collection[Name]) -> set[Name]:
    names = keys_of(datasets)
    return {names[row[0]] for row in await fetch_each(fetch, _UNPUBLISHED, names)}


_NAMESPACE = "RETURN collect([n.name, n.firstTime, n.deleted, n.arrivedTime])"
_LAST_TIME = "MATCH (n:Dataset {key: $key}) RETURN collect([n.lastTime])"
_SPAN = (
    "MATCH (n:%s) WHERE n.sort STARTS WITH $low AND n.namespace = $namespace "
    "RETURN [[min(n.firstTime), max(n.lastTime)]]"
)
_SOURCES = """
MATCH (v:Value) WHERE v.source = true
CALL (v) {
    MATCH (v)<-[r:SAYS]-(:Dataset) WHERE r.name = 'dataSource'
    RETURN min(r.time) AS first, max(r.time) AS last
}
WITH v, first, last WHERE first IS NOT NULL LIMIT $limit
RETURN collect([v.body, first, last])
"""
_UNPUBLISHED = """
UNWIND $rows AS row
MATCH (d:Dataset {key: row})
WHERE EXISTS { (d)<-[:GENERATION_OF]-(:Generation)<-[m:MADE]-() WHERE m.commitTime IS NULL }
RETURN collect([row])
"""
