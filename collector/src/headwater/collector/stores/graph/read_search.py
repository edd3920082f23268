"""The search of names, by Neo4j's text indexes (trigrams) on ``folded``."""

from __future__ import annotations

from typing import Any

from headwater.collector.catalog import RESERVED
from headwater.collector.stores.graph import keys
from headwater.collector.stores.graph.catalog import SHOWS
from headwater.collector.stores.graph.fetching import Fetch
from headwater.collector.stores.reading import MAX_MATCHES, Hit, Search
from headwater.shared.event import Name

_LABELS = {"job": "Job", "dataset": "Dataset"}


async def search(fetch: Fetch, where: Search, limit: int, offset: int) -> tuple[int, list[Hit]]:
    conditions = ["n.firstTime IS NOT NULL", SHOWS.format("n"), "NOT n.namespace STARTS WITH $reserved"]
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
        "most": MAX_MATCHES,
        "last": offset + limit,
    }
    order = "n.lastTime DESC, n.folded" if where.newest_first else "n.folded"
    total, hits = 0, list[Hit]()
    for kind in where.kinds:
        statement = _SEARCH.format(label=_LABELS[kind], conditions=" AND ".join(conditions), order=order)
        ((count, page),) = await fetch(statement, **parameters)
        total += count
        hits += [Hit(kind, Name(*row[:2]), row[2]) for row in page]
    hits.sort(key=lambda hit: (keys.fold(hit.name.name), hit.name, hit.kind))
    if where.newest_first:
        hits.sort(key=lambda hit: hit.last_time, reverse=True)
    return min(total, MAX_MATCHES), hits[offset : offset + limit]


# Names that begin with the text before others, and no more than are counted: to order all names that hold a common
# word takes a second where there are a hundred thousand.
_SEARCH = """
CALL () {{
    MATCH (n:{label}) WHERE n.folded STARTS WITH $text AND {conditions} RETURN n LIMIT $most
    UNION
    MATCH (n:{label}) WHERE n.folded CONTAINS $text AND {conditions} RETURN n LIMIT $most
}}
WITH n LIMIT $most
WITH n ORDER BY {order}, n.namespace, n.name
WITH collect(n) AS found
RETURN [[size(found), [n IN found[..$last] | [n.namespace, n.name, n.lastTime]]]]
"""
