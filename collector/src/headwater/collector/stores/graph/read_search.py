"""The search of names, by Neo4j's text indexes (trigrams) on ``folded``."""

from __future__ import annotations

from typing import Any, Literal

from headwater.collector.catalog import RESERVED
from headwater.collector.stores.graph import keys
from headwater.collector.stores.graph.catalog import SHOWS
from headwater.collector.stores.graph.fetching import Fetch
from headwater.collector.stores.reading import MAX_MATCHES, Hit, Search
from headwater.shared.event import Name

_LABELS: dict[Literal["job", "dataset"], str] = {"job": "Job", "dataset": "Dataset"}


async def search(fetch: Fetch, where: Search, limit: int, offset: int) -> tuple[int, list[Hit]]:
    conditions = [
        "n.folded CONTAINS $text",
        "n.firstTime IS NOT NULL",
        SHOWS.format("n"),
        "NOT n.namespace STARTS WITH $reserved",
    ]
    if where.namespace is not None:
        conditions.append("n.namespace = $namespace")
    if where.since is not None:
        conditions.append("n.lastTime >= $since")
    if where.before is not None:
        conditions.append("n.lastTime < $before")
    parameters: dict[str, Any] = {
        "text": keys.fold(where.text),
        "reserved": RESERVED,
        "namespace": where.namespace,
        "since": where.since,
        "before": where.before,
    }
    matching = {kind: f"MATCH (n:{_LABELS[kind]}) WHERE {' AND '.join(conditions)}" for kind in where.kinds}
    order = "n.lastTime DESC, n.folded" if where.newest_first else "n.folded"
    total, hits = 0, list[Hit]()
    for kind, match in matching.items():
        counted = f"{match} WITH n LIMIT {MAX_MATCHES} RETURN count(n)"
        total += int((await fetch(counted, **parameters))[0][0])
        page = f"{match} RETURN n.namespace, n.name, n.lastTime ORDER BY {order}, n.namespace, n.name LIMIT $last"
        hits += [Hit(kind, Name(*row[:2]), row[2]) for row in await fetch(page, last=offset + limit, **parameters)]
    hits.sort(key=lambda hit: (keys.fold(hit.name.name), hit.name, hit.kind))
    if where.newest_first:
        hits.sort(key=lambda hit: hit.last_time, reverse=True)
    return min(total, MAX_MATCHES), hits[offset : offset + limit]
