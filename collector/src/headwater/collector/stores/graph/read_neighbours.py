"""Current edges (rule 8) with what a walk asks next: one statement a level instead of three."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from headwater.collector.facts import Side
from headwater.collector.stores.graph.catalog import SHOWS
from headwater.collector.stores.graph.fetching import Fetch, fetch_each
from headwater.collector.stores.graph.read_generations import keys_of
from headwater.collector.stores.reading import JobEdge
from headwater.shared.event import Name

_SIDES = {"CONSUMES": Side.INPUT, "PRODUCES": Side.OUTPUT}
_FEW = 64
"""Edges of a job, old ones among them, that are read to find the current ones; of more the index finds those."""


class Neighbours(NamedTuple):
    """What was found around some jobs or datasets."""

    of_datasets: list[JobEdge]
    """Edges of the datasets that were asked for."""
    of_jobs: dict[Name, list[JobEdge]]
    """All edges of each job that was asked for, or is at the other end and was not known."""
    tied: dict[Name, bool]
    """Each dataset at the end of these: whether it may have links or drops."""


async def around_jobs(fetch: Fetch, jobs: Collection[Name]) -> Neighbours:
    names = keys_of(jobs)
    rows = await fetch_each(fetch, _AROUND_JOBS, names)
    return _neighbours([], rows, names)


async def around_datasets(fetch: Fetch, datasets: Collection[Name], known: Iterable[Name]) -> Neighbours:
    """``known``: jobs whose edges are not read again."""
    names, before = keys_of(datasets), keys_of(known)
    pairs = await fetch_each(fetch, _AROUND_DATASETS, names, known=list(before))
    of_datasets: list[JobEdge] = []
    jobs: dict[str, Name] = {}
    for key, namespace, name, edges in (each for near in pairs[::2] for each in near):
        job = before.get(key) or jobs.setdefault(key, Name(namespace, name))
        of_datasets += [JobEdge(job, _SIDES[kind], names[dataset], last) for dataset, kind, last in edges]
    return _neighbours(of_datasets, pairs[1::2], jobs)


def _neighbours(of_datasets: list[JobEdge], parts: list[list[Any]], jobs: dict[str, Name]) -> Neighbours:
    """``parts``: each holds all edges of some of the jobs, by dataset."""
    of_jobs: dict[Name, list[JobEdge]] = {job: [] for job in jobs.values()}
    tied: dict[Name, bool] = {}
    seen: set[str] = set()
    for far in parts:
        fresh: set[str] = set()
        for _, namespace, name, is_tied, edges in far:
            dataset = Name(namespace, name)
            tied[dataset] = is_tied
            for key, kind, last in edges:
                if key not in seen:  # in an earlier part, whole
                    of_jobs[jobs[key]].append(JobEdge(jobs[key], _SIDES[kind], dataset, last))
                    fresh.add(key)
        seen |= fresh
    return Neighbours(of_datasets, of_jobs, tied)


_OLD_AND_NEW = "COUNT { (j)-[:CONSUMES|PRODUCES]->() }"
_BY_INDEX = """
    WITH j WHERE {count} > {few}
    MATCH ()-[r:{kind}]->(d:Dataset) WHERE r.recent >= j.key + ' ' + j.edgesSince AND r.recent < j.key + '!'
    RETURN r, d
"""
_FAR = f"""
CALL (j) {{
    WITH j WHERE {_OLD_AND_NEW} <= {_FEW}
    MATCH (j)-[r:CONSUMES|PRODUCES]->(d:Dataset) WHERE r.lastTime >= j.edgesSince
    RETURN r, d
    UNION ALL
    {_BY_INDEX.format(count=_OLD_AND_NEW, few=_FEW, kind="CONSUMES")}
    UNION ALL
    {_BY_INDEX.format(count=_OLD_AND_NEW, few=_FEW, kind="PRODUCES")}
}}
WITH j, r, d WHERE {SHOWS.format("d")}
WITH d, collect([j.key, type(r), r.lastTime]) AS edges
WITH collect([d.key, d.namespace, d.name, EXISTS {{ (d)-[:SYMLINK|CHANGE_OF|PREVIOUS]-() }}, edges]) AS far
"""
_AROUND_JOBS = f"""
UNWIND $rows AS row
MATCH (j:Job {{key: row}}) WHERE j.edgesSince IS NOT NULL AND {SHOWS.format("j")}
{_FAR}
RETURN [far]
"""
_AROUND_DATASETS = f"""
UNWIND $rows AS row
MATCH (j:Job)-[r:CONSUMES|PRODUCES]->(d:Dataset {{key: row}})
WHERE r.lastTime >= j.edgesSince AND {SHOWS.format("j")} AND {SHOWS.format("d")}
WITH j, collect([row, type(r), r.lastTime]) AS edges
WITH collect([j.key, j.namespace, j.name, edges]) AS near, [job IN collect(j) WHERE NOT job.key IN $known] AS fresh
CALL (fresh) {{
    UNWIND fresh AS j
    {_FAR}
    RETURN far
}}
RETURN [near, far]
"""
