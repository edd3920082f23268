"""Keeps the namespaces, what is deleted, and which facet values name a source; see ``sql.catalog``."""

from __future__ import annotations

from typing import Any

from headwater.collector.facts import Scope
from headwater.collector.merging.catalog import deletions_of, first_seen, namespace_key
from headwater.collector.merging.merge import Merged
from headwater.collector.stores.graph import keys
from headwater.collector.stores.graph.known import Known
from headwater.collector.stores.graph.transaction import Transaction
from headwater.shared.event import Name

SHOWS = "NOT coalesce({0}.deleted >= {0}.lastTime, {0}.deleted IS NOT NULL)"
"""A job or dataset that is not deleted, or was seen since. Said without OR: for that the planner asks the index of the
deleted ones, too, and sorts what both sides find."""


async def write_catalog(tx: Transaction, merged: Merged, known: Known) -> None:
    """After jobs, datasets and facets are there."""
    seen, deleted = first_seen(merged), deletions_of(merged)
    names = {namespace_key(name).hex(): name for name in seen.keys() | deleted.namespaces.keys()}
    before = {names[key]: (first, gone) for key, first, gone in await tx.each(_KNOWN, sorted(names))}
    rows: list[list[Any]] = []
    for key, name in sorted(names.items()):
        first, gone = before.get(name, ("~", None))
        now = min(first, seen.get(name, "~"))
        now_gone = max(gone or "", deleted.namespaces.get(name, "")) or None
        if (now, now_gone) != (first, gone):
            rows.append([key, name, now, now_gone, merged.arrived.get(name, now)])
    await tx.each(_NAMESPACE, rows)
    gone_now = [[known.jobs[key], time] for key, time in sorted(deleted.jobs.items())]
    gone_now += [[known.datasets[key], time] for key, time in sorted(deleted.datasets.items())]
    gone_before = {name: time for name, (_, time) in before.items() if time is not None}
    for nodes, listed in ((known.jobs, merged.jobs), (known.datasets, merged.datasets)):
        gone_now += [[nodes[key], gone_before[row[0]]] for key, row in sorted(listed.items()) if row[0] in gone_before]
    await tx.each(_DELETE, gone_now)
    for name, time in sorted(deleted.namespaces.items()):
        for statement in _DELETE_ALL:
            await tx.each(statement, [[keys.sort(Name(name, "")), name, time]])
    said = {value.hex() for (_, scope, _, _, name), (_, _, value) in merged.facets.items()
            if name == "dataSource" and scope == Scope.DATASET and value is not None}  # fmt: skip
    await tx.each(_SOURCE, sorted(said))


_KNOWN = "UNWIND $rows AS row MATCH (n:Namespace {key: row}) RETURN collect([row, n.firstTime, n.deleted])"
_NAMESPACE = """
UNWIND $rows AS row
MERGE (n:Namespace {key: row[0]})
ON CREATE SET n.name = row[1], n.arrivedTime = row[4]
SET n.firstTime = CASE WHEN n.firstTime < row[2] THEN n.firstTime ELSE row[2] END,
    n.deleted = CASE WHEN n.deleted > row[3] OR row[3] IS NULL THEN n.deleted ELSE row[3] END
"""
_DELETE = """
UNWIND $rows AS row
MATCH (n) WHERE elementId(n) = row[0] AND (n.deleted IS NULL OR n.deleted < row[1]) SET n.deleted = row[1]
"""
_DELETE_ALL = tuple(
    f"""
UNWIND $rows AS row
MATCH (n:{label}) WHERE n.sort STARTS WITH row[0] AND n.namespace = row[1] AND (n.deleted IS NULL OR n.deleted < row[2])
SET n.deleted = row[2]
"""
    for label in ("Job", "Dataset")
)
_SOURCE = "UNWIND $rows AS row MATCH (v:Value {hash: row}) WHERE v.source IS NULL SET v.source = true"
