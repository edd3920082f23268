"""Pages of jobs and datasets with their totals.

Only what an index or a kept count tells is counted, and what is deleted is taken off: to look at each of a hundred
thousand nodes takes a third of a second.
"""

from __future__ import annotations

from typing import Any

from headwater.collector.stores.graph import keys
from headwater.collector.stores.graph.catalog import SHOWS
from headwater.collector.stores.graph.fetching import Fetch
from headwater.shared.event import Name


async def list_jobs(fetch: Fetch, namespace: str | None, limit: int, offset: int) -> tuple[int, list[Name]]:
    within, parameters = ("true", {"namespace": None}) if namespace is None else _within(namespace)
    total, listed, every = await _counts(fetch, "Job", within, parameters)
    # Either all jobs by time, until the page is full, or all jobs of the namespace, sorted.
    by_time = listed * listed >= (offset + limit) * every
    condition = f"n.lastTime > ''{_also(namespace)}" if by_time else within
    order = "n.lastTime DESC, n.sort, n.namespace, n.name"
    return total, await _page(fetch, "Job", condition, order, limit=limit, offset=offset, **parameters)


async def list_datasets(fetch: Fetch, namespace: str | None, limit: int, offset: int) -> tuple[int, list[Name]]:
    within, parameters = _within(namespace)
    total, _, _ = await _counts(fetch, "Dataset", within, parameters)
    order = "n.sort, n.namespace, n.name"
    return total, await _page(fetch, "Dataset", within, order, limit=limit, offset=offset, **parameters)


def _within(namespace: str | None) -> tuple[str, dict[str, Any]]:
    """(condition, parameters). The sort key holds the namespace whole unless that is very long, see ``keys.sort``."""
    if namespace is None:
        return "n.sort >= $low", {"low": "", "namespace": None}
    low = keys.sort(Name(namespace, ""))
    exact = "" if low == f"{namespace}\0" else _also(namespace)
    return f"n.sort STARTS WITH $low{exact}", {"low": low, "namespace": namespace}


def _also(namespace: str | None) -> str:
    return "" if namespace is None else " AND n.namespace = $namespace"


async def _counts(fetch: Fetch, label: str, within: str, parameters: dict[str, Any]) -> tuple[int, int, int]:
    """(those that are not deleted, those of the namespace, all nodes of the label)."""
    statement = _COUNTS.format(label=label, within=within, shows=SHOWS.format("n"))
    ((listed, every, deleted),) = await fetch(statement, **parameters)
    return listed - deleted, listed, every


async def _page(fetch: Fetch, label: str, condition: str, order: str, **parameters: Any) -> list[Name]:
    statement = _PAGE.format(label=label, condition=condition, shows=SHOWS.format("n"), order=order)
    return [Name(*row) for row in await fetch(statement, **parameters)]


_COUNTS = """
CALL () {{ MATCH (n:{label}) WHERE {within} RETURN count(n) AS listed }}
CALL () {{ MATCH (n:{label}) RETURN count(n) AS every }}
CALL () {{
    MATCH (n:{label}) USING INDEX n:{label}(deleted) WHERE n.deleted > '' AND {within} AND NOT {shows}
    RETURN count(n) AS deleted
}}
RETURN [[listed, every, deleted]]
"""
_PAGE = """
MATCH (n:{label}) WHERE {condition} AND {shows}
WITH n ORDER BY {order} SKIP $offset LIMIT $limit
RETURN collect([n.namespace, n.name])
"""
