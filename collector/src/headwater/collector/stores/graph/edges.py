"""Keeps a job's edges to datasets: per side the first event time of the last run that had it (rule 8)."""

from __future__ import annotations

from typing import Any

from headwater.collector.facts import Side
from headwater.collector.merging.edges import EdgeKey, window_start
from headwater.collector.merging.runs import DerivedRun
from headwater.collector.stores.graph import keys
from headwater.collector.stores.graph.known import Known
from headwater.collector.stores.graph.transaction import Transaction

EDGE_KINDS = {Side.INPUT: "CONSUMES", Side.OUTPUT: "PRODUCES"}
_IO_KINDS = {Side.INPUT: "READS", Side.OUTPUT: "WRITES"}


async def write_job_edges(tx: Transaction, known: Known, derived: dict[bytes, DerivedRun]) -> None:
    """Jobs are locked. A run that began earlier than was known, or is another job's, has its edges counted again."""
    last: dict[EdgeKey, str] = {}
    recount: set[EdgeKey] = set()
    for key, run in derived.items():
        base, before = run.base, known.before.get(key)
        if base.first_time is None:
            continue
        moved = before and before.first_time and (before.first_time != base.first_time or before.job != base.job)
        for side, dataset in base.listed:
            edge = (base.job, side, dataset)
            last[edge] = max(last.get(edge, ""), base.first_time)
            if moved and before:
                recount.update((edge, (before.job, side, dataset)))
    await _raise(tx, known, {edge: time for edge, time in last.items() if edge not in recount})
    await _count_again(tx, known, recount)


async def _raise(tx: Transaction, known: Known, last: dict[EdgeKey, str]) -> None:
    newest: dict[bytes, str] = {}
    rows: dict[int, dict[bytes, list[Any]]] = {side: {} for side in EDGE_KINDS}
    for (job, side, dataset), time in sorted(last.items()):
        newest[job] = max(newest.get(job, ""), time)
        edge = [known.datasets[dataset], time, keys.recent(job.hex(), time)]
        rows[side].setdefault(job, []).append(edge)
    await tx.each(_SINCE, [[known.jobs[job], window_start(time)] for job, time in newest.items()])
    for side, kind in EDGE_KINDS.items():
        await tx.each(_RAISE[kind], [[known.jobs[job], edges] for job, edges in rows[side].items()])


async def _count_again(tx: Transaction, known: Known, recount: set[EdgeKey]) -> None:
    if not recount:
        return
    for side, kind in EDGE_KINDS.items():
        edges = [[known.jobs[job], known.datasets[dataset]] for job, at, dataset in sorted(recount) if at == side]
        await tx.each(_RECOUNT[kind], edges)
    jobs = [known.jobs[job] for job in sorted({edge[0] for edge in recount})]
    newest = dict(await tx.each(_NEWEST, jobs))
    await tx.each(_SET_SINCE, [[job, window_start(newest[job]) if newest.get(job) else None] for job in jobs])


_SINCE = """
UNWIND $rows AS row
MATCH (j) WHERE elementId(j) = row[0] AND (j.edgesSince IS NULL OR j.edgesSince < row[1])
SET j.edgesSince = row[1]
"""
_SET_SINCE = "UNWIND $rows AS row MATCH (j) WHERE elementId(j) = row[0] SET j.edgesSince = row[1]"
_RAISE = {
    kind: f"""
UNWIND $rows AS row
MATCH (j) WHERE elementId(j) = row[0]
UNWIND row[1] AS edge
MATCH (d) WHERE elementId(d) = edge[0]
MERGE (j)-[r:{kind}]->(d)
WITH r, edge WHERE r.lastTime IS NULL OR r.lastTime < edge[1]
SET r.lastTime = edge[1], r.recent = edge[2]
"""
    for kind in EDGE_KINDS.values()
}
# Runs newest first by the index; a current edge is in one of the first.
_RECOUNT = {
    kind: f"""
UNWIND $rows AS row
MATCH (j) WHERE elementId(j) = row[0]
MATCH (d) WHERE elementId(d) = row[1]
OPTIONAL MATCH (j)-[old:{kind}]->(d)
DELETE old
WITH DISTINCT j, d
CALL (j, d) {{
    MATCH (n:Run) WHERE n.job = j.key AND n.recency > '{keys.ANY_TIME}' AND EXISTS {{ (n)-[:{_IO_KINDS[side]}]->(d) }}
    RETURN n.firstTime AS time ORDER BY n.job DESC, n.recency DESC LIMIT 1
}}
CREATE (j)-[:{kind} {{lastTime: time, recent: j.key + ' ' + time}}]->(d)
"""
    for side, kind in EDGE_KINDS.items()
}
_NEWEST_OF = """
    MATCH ()-[r:{kind}]->() WHERE r.recent > j.key + ' ' AND r.recent < j.key + '!'
    RETURN r.lastTime AS time ORDER BY r.recent DESC LIMIT 1
"""
_NEWEST = f"""
UNWIND $rows AS row
MATCH (j:Job) WHERE elementId(j) = row
CALL (j) {{ {_NEWEST_OF.format(kind="CONSUMES")} UNION ALL {_NEWEST_OF.format(kind="PRODUCES")} }}
WITH row, max(time) AS newest
RETURN collect([row, newest])
"""
