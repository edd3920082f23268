"""Writes runs with what they read, wrote and made: the difference between the merged batch and what was known."""

from __future__ import annotations

from typing import Any

from headwater.collector.facts import Side
from headwater.collector.merging.keys import run_text
from headwater.collector.merging.merge import Merged
from headwater.collector.merging.runs import DerivedRun
from headwater.collector.stores.graph import keys
from headwater.collector.stores.graph.known import IO_KINDS, STATE_SEPARATOR, IOKey, Known
from headwater.collector.stores.graph.transaction import Transaction

_INDEXED = (Side.INPUT, Side.NAMED)
"""Sides that are asked for by dataset and time."""


async def write_runs(tx: Transaction, merged: Merged, known: Known, derived: dict[bytes, DerivedRun]) -> None:
    """The runs themselves; ``derived`` holds every run of the batch."""
    states: dict[bytes, list[str]] = {}
    for key, time, word in sorted(merged.states):
        states.setdefault(key, []).append(f"{time}{STATE_SEPARATOR}{word}")
    stay: list[list[Any]] = []
    join: list[list[Any]] = []
    leave: list[str] = []
    for key, run in sorted(derived.items()):
        node, row = known.runs[key], [known.runs[key], _properties(key, merged, states, run)]
        before = known.before.get(key)
        if before is not None and before.job == run.base.job:
            stay.append(row)
            continue
        if before is not None:
            leave.append(node)
        join.append([*row, known.jobs[run.base.job]])
    await tx.each(_STAY, stay)
    await tx.each(_LEAVE, leave)
    await tx.each(_JOIN, join)


def _properties(key: bytes, merged: Merged, states: dict[bytes, list[str]], run: DerivedRun) -> dict[str, Any]:
    first, last, job_rank, job_time, job_event, job = merged.runs[key]
    state, contradiction, started, ended, pin_time, nominal_start, logical_key, parent, root = run.columns
    return {
        "firstTime": first,
        "lastTime": last,
        "jobRank": job_rank,
        "jobTime": job_time,
        "jobEvent": job_event.hex(),
        "job": job.hex(),
        "states": states.get(key),
        "state": state,
        "contradiction": contradiction,
        "started": started,
        "ended": ended,
        "pinTime": pin_time,
        "nominalStart": nominal_start,
        "logicalKey": logical_key,
        "logical": logical_key and keys.digest(logical_key),
        "parent": parent and run_text(parent),
        "root": root and run_text(root),
        "recency": keys.recency(first, run_text(key)),
    }


async def write_io(
    tx: Transaction,
    merged: Merged,
    known: Known,
    derived: dict[bytes, DerivedRun],
    facets: dict[IOKey, list[str]],
) -> None:
    """Reads, writes and named sources. ``facets``: the whole list of each mention that has news."""
    fresh: dict[str, dict[str, list[list[Any]]]] = {kind: {} for kind in IO_KINDS.values()}
    changed: list[list[Any]] = []
    for key, (time, commit_time) in merged.io.items():
        run, number, dataset, version = key
        side = Side(number)
        at = keys.at(dataset.hex(), version, derived[run].pin_time) if side in _INDEXED else None
        before, said = known.io.get(key), facets.get(key)
        if before is None:
            row = [known.datasets[dataset], version, time, commit_time, at, said]
            fresh[IO_KINDS[side]].setdefault(known.runs[run], []).append(row)
        elif before[1:] != (time, commit_time, at) or said is not None:
            changed.append([before.id, time, commit_time, at, said])
    await tx.each(_CHANGE_IO, changed)
    for kind, rows in fresh.items():
        await tx.each(_IO[kind], list(rows.items()))


async def write_generations(tx: Transaction, known: Known, derived: dict[bytes, DerivedRun]) -> None:
    """What the runs made, as derived now."""
    now = {key: time for run in derived.values() for key, time in run.generations.items()}
    await tx.each(_UNMAKE, [identity for key, (identity, _) in known.generations.items() if key not in now])
    fresh: list[list[Any]] = []
    changed: list[list[Any]] = []
    for key, commit_time in sorted(now.items()):
        before = known.generations.get(key)
        dataset, version = key[0].hex(), key[1]
        rank = keys.rank(dataset, commit_time, version)
        if before is None:
            nodes = known.runs[key[2]], known.datasets[key[0]]
            fresh.append([*nodes, keys.digest(dataset, version), dataset, version, commit_time, rank])
        elif before[1] != commit_time:
            changed.append([before[0], commit_time, rank])
    await tx.each(_CHANGE_MADE, changed)
    await tx.each(_MAKE, fresh)


_STAY = "UNWIND $rows AS row MATCH (n) WHERE elementId(n) = row[0] SET n += row[1]"
_LEAVE = "UNWIND $rows AS row MATCH (n)-[r:RUN_OF]->() WHERE elementId(n) = row DELETE r"
_JOIN = """
UNWIND $rows AS row
MATCH (n) WHERE elementId(n) = row[0]
MATCH (j) WHERE elementId(j) = row[2]
SET n += row[1]
CREATE (n)-[:RUN_OF]->(j)
"""
_IO = {
    kind: f"""
UNWIND $rows AS row
MATCH (n) WHERE elementId(n) = row[0]
UNWIND row[1] AS io
MATCH (d) WHERE elementId(d) = io[0]
CREATE (n)-[:{kind} {{version: io[1], time: io[2], commitTime: io[3], at: io[4], facets: io[5]}}]->(d)
"""
    for kind in IO_KINDS.values()
}
_CHANGE_IO = """
UNWIND $rows AS row
MATCH ()-[r]->() WHERE elementId(r) = row[0]
SET r.time = row[1], r.commitTime = row[2], r.at = row[3], r.facets = coalesce(row[4], r.facets)
"""
_MAKE = """
UNWIND $rows AS row
MATCH (n) WHERE elementId(n) = row[0]
MATCH (d) WHERE elementId(d) = row[1]
MERGE (g:Generation {key: row[2]}) ON CREATE SET g.dataset = row[3], g.version = row[4]
CREATE (n)-[:MADE {version: row[4], commitTime: row[5], rank: row[6]}]->(g)
MERGE (g)-[:GENERATION_OF]->(d)
"""
_CHANGE_MADE = """
UNWIND $rows AS row
MATCH ()-[r:MADE]->() WHERE elementId(r) = row[0] SET r.commitTime = row[1], r.rank = row[2]
"""
_UNMAKE = """
UNWIND $rows AS row
MATCH ()-[r:MADE]->(g) WHERE elementId(r) = row DELETE r
WITH DISTINCT g WHERE NOT EXISTS { (g)<-[:MADE]-() }
DETACH DELETE g
"""
