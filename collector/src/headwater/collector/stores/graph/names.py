"""Writes what JobEvents and DatasetEvents say of names: designs, lifecycle changes, symlinks."""

from __future__ import annotations

from typing import Any

import orjson

from headwater.collector.facts import Scope
from headwater.collector.merging.keys import NO_KEY, name_key, run_text
from headwater.collector.merging.merge import Merged
from headwater.collector.merging.runs import LIFECYCLE_FACET, DerivedRun
from headwater.collector.stores.graph import keys
from headwater.collector.stores.graph.facets import winner
from headwater.collector.stores.graph.known import Known, name_datasets
from headwater.collector.stores.graph.transaction import Transaction
from headwater.shared.event import Name


async def write_designs(tx: Transaction, merged: Merged) -> None:
    """Last writer by (time, event id), replaced whole."""
    if not merged.design:
        return
    rows = []
    for (job, side), (time, event, datasets) in sorted(merged.design.items()):
        listed = [name_key(Name(*pair)).hex() for pair in orjson.loads(datasets)]
        rows.append([f"{job.hex()} {side}", job.hex(), side, time, event.hex(), datasets, listed])
    written = await tx.each(_DESIGN, rows)
    later = {key for key, is_ours in written if is_ours}
    await tx.each(_LIST, [[row[0], row[6]] for row in rows if row[0] in later])


async def write_changes(tx: Transaction, merged: Merged, known: Known, derived: dict[bytes, DerivedRun]) -> None:
    """Those of DatasetEvents are base facts; those of runs are derived, and may be gone."""
    changes = {(*change, NO_KEY) for change in merged.lifecycle}
    changes |= {change for run in derived.values() for change in run.changes}
    rows: dict[str, list[Any]] = {}
    for dataset, time, change, previous, run in sorted(changes):
        by = run_text(run) if run else None
        key = keys.digest(dataset.hex(), time, change, previous.hex(), by or "")
        rows[key] = [key, dataset.hex(), time, change, previous.hex() or None, by]
    if any(row[4] for row in rows.values()):
        await _name_previous(tx, merged, known)
    await tx.each(_DELETE_CHANGE, [identity for key, identity in known.changes.items() if key not in rows])
    await tx.each(_CHANGE, list(rows.values()))
    await tx.each(_PREVIOUS, [row for row in rows.values() if row[4]])
    await tx.each(_CAUSED, [row for row in rows.values() if row[5]])


async def _name_previous(tx: Transaction, merged: Merged, known: Known) -> None:
    """The old name of what a run renamed is there, whether or not another event speaks of it."""
    for _, scope, _, name, value in merged.derived_facets():
        previous = orjson.loads(value).get("previousIdentifier") if name == LIFECYCLE_FACET else None
        if previous and scope == Scope.OUTPUT:
            merged.name_dataset(Name(previous["namespace"], previous["name"]))
    await name_datasets(tx, merged, known)


async def write_symlinks(tx: Transaction, merged: Merged, known: Known) -> None:
    """A dataset's links are those of its current symlinks facet."""
    links: list[list[str]] = []
    rows: list[list[Any]] = []
    for dataset in sorted(merged.symlinked):
        others: set[str] = set()
        for identifier in _stated(dataset, merged, known).get("identifiers") or ():
            other = Name(identifier["namespace"], identifier["name"])
            if name_key(other) != dataset:
                others.add(merged.name_dataset(other).hex())
        links += [[dataset.hex(), other] for other in sorted(others)]
        rows.append([dataset.hex(), bool(others)])
    if rows:
        await name_datasets(tx, merged, known)
        await tx.each(_UNLINK, rows)
        await tx.each(_LINK, links)


def _stated(dataset: bytes, merged: Merged, known: Known) -> dict[str, Any]:
    value = winner((dataset, int(Scope.DATASET), NO_KEY, "", "symlinks"), merged, known)
    said: dict[str, Any] = {} if value is None else orjson.loads(merged.values[value])
    return said


_DESIGN = """
UNWIND $rows AS row
MATCH (j:Job {key: row[1]})
MERGE (n:Design {key: row[0]}) ON CREATE SET n.side = row[2], n.time = '', n.event = ''
MERGE (j)-[:DESIGN]->(n)
SET n.lock = true
WITH n, row, n.time < row[3] OR (n.time = row[3] AND n.event < row[4]) AS later
FOREACH (_ IN CASE WHEN later THEN [1] ELSE [] END |
    SET n.time = row[3], n.event = row[4], n.datasets = row[5])
RETURN collect([row[0], later])
"""
_LIST = """
UNWIND $rows AS row
MATCH (n:Design {key: row[0]})
CALL (n) { MATCH (n)-[old:LISTS]->() DELETE old }
UNWIND row[1] AS dataset
MATCH (d:Dataset {key: dataset}) CREATE (n)-[:LISTS]->(d)
"""
_CHANGE = """
UNWIND $rows AS row
MATCH (d:Dataset {key: row[1]})
MERGE (n:Change {key: row[0]}) ON CREATE SET n.time = row[2], n.change = row[3], n.run = row[5]
MERGE (n)-[:CHANGE_OF]->(d)
"""
_PREVIOUS = (
    "UNWIND $rows AS row MATCH (n:Change {key: row[0]}) MATCH (d:Dataset {key: row[4]}) MERGE (n)-[:PREVIOUS]->(d)"
)
_CAUSED = "UNWIND $rows AS row MATCH (n:Change {key: row[0]}) MATCH (r:Run {id: row[5]}) MERGE (r)-[:CAUSED]->(n)"
_DELETE_CHANGE = "UNWIND $rows AS row MATCH (n:Change) WHERE elementId(n) = row DETACH DELETE n"
_UNLINK = """
UNWIND $rows AS row
MATCH (d:Dataset {key: row[0]}) SET d.carrier = row[1]
WITH d MATCH (d)-[r:SYMLINK]->() DELETE r
"""
_LINK = "UNWIND $rows AS row MATCH (d:Dataset {key: row[0]}) MATCH (o:Dataset {key: row[1]}) MERGE (d)-[:SYMLINK]->(o)"
