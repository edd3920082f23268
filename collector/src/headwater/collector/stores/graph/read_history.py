"""Reads of the past: edges as they were at a time, and what was there by then."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

from headwater.collector.catalog import RESERVED
from headwater.collector.facts import Side
from headwater.collector.merging.edges import window_start
from headwater.collector.stores.graph import keys
from headwater.collector.stores.graph.catalog import SHOWS
from headwater.collector.stores.graph.fetching import Fetch, fetch_each
from headwater.collector.stores.graph.read_generations import keys_of
from headwater.collector.stores.reading import JobEdge
from headwater.shared.event import Name


async def edge_jobs(fetch: Fetch, datasets: Collection[Name]) -> set[Name]:
    return {Name(*row) for row in await fetch_each(fetch, _EDGE_JOBS, keys_of(datasets))}


async def job_edges_at(fetch: Fetch, jobs: Collection[Name], at: str, max_runs: int) -> list[JobEdge]:
    by_key = keys_of(jobs)
    rows: dict[Name, list[JobEdge]] = {}
    for key, kind, namespace, name, last in await fetch_each(fetch, _EDGES_AT, by_key, at=at + "!", limit=max_runs):
        side = Side.INPUT if kind == "READS" else Side.OUTPUT
        rows.setdefault(by_key[key], []).append(JobEdge(by_key[key], side, Name(namespace, name), last))
    found: list[JobEdge] = []
    for edges in rows.values():
        since = window_start(max(edge.last_time for edge in edges))
        found += [edge for edge in edges if edge.last_time >= since]
    return sorted(found)


async def seen_before(fetch: Fetch, kind: Literal["job", "dataset"], times: Sequence[str]) -> list[int]:
    found: list[int] = []
    total, since = 0, ""
    for time in times:
        rows = await fetch(_SEEN_BETWEEN[kind], since=since, before=time, reserved=RESERVED)
        total += int(rows[0][0])
        found.append(total)
        since = time
    return found


_EDGE_JOBS = """
UNWIND $rows AS row
MATCH (j:Job)-[:CONSUMES|PRODUCES]->(:Dataset {key: row})
WITH DISTINCT j
RETURN collect([j.namespace, j.name])
"""
_EDGES_AT = f"""
UNWIND $rows AS row
CALL (row) {{
    MATCH (n:Run) WHERE n.job = row AND n.recency > '{keys.ANY_TIME}' AND n.recency < $at
    RETURN n ORDER BY n.job DESC, n.recency DESC LIMIT $limit
}}
MATCH (n)-[r:READS|WRITES]->(d:Dataset) WHERE {SHOWS.format("d")}
WITH row, type(r) AS kind, d, max(n.firstTime) AS last
RETURN collect([row, kind, d.namespace, d.name, last])
"""
_SEEN_BETWEEN = {
    "job": "MATCH (n:Job) WHERE n.firstTime >= $since AND n.firstTime < $before RETURN [[count(n)]]",
    "dataset": "MATCH (n:Dataset) WHERE n.firstTime >= $since AND n.firstTime < $before "
    "AND NOT n.namespace STARTS WITH $reserved RETURN [[count(n)]]",
}
