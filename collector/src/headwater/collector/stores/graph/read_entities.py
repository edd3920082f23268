"""Reads of jobs, datasets, the names they go by and the edges between them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import orjson

from headwater.collector.facts import Side
from headwater.collector.stores.graph.catalog import SHOWS
from headwater.collector.stores.graph.fetching import Fetch, fetch_each
from headwater.collector.stores.graph.read_generations import keys_of
from headwater.collector.stores.reading import DatasetFacts, Drop, Facets, JobEdge, JobFacts, Link
from headwater.shared.event import Name


async def links(fetch: Fetch, datasets: Collection[Name]) -> list[Link]:
    rows = await fetch_each(fetch, _LINKS, keys_of(datasets))
    found = {Link(Name(*row[:2]), Name(*row[2:4]), row[4]) for row in rows}
    return sorted(found, key=lambda link: (link.a, link.b, link.renamed_at or ""))


async def carriers(fetch: Fetch, datasets: Collection[Name]) -> set[Name]:
    names = keys_of(datasets)
    return {names[row[0]] for row in await fetch_each(fetch, _CARRIERS, names)}


async def drops(fetch: Fetch, datasets: Collection[Name]) -> list[Drop]:
    names = keys_of(datasets)
    return [Drop(names[row[0]], row[1]) for row in await fetch_each(fetch, _DROPS, names)]


async def job_edges(fetch: Fetch, jobs: Collection[Name], datasets: Collection[Name]) -> list[JobEdge]:
    rows = await fetch_each(fetch, _EDGES_OF_JOBS, keys_of(jobs))
    rows += await fetch_each(fetch, _EDGES_OF_DATASETS, keys_of(datasets))
    found = {
        JobEdge(Name(*row[:2]), Side.INPUT if row[2] == "CONSUMES" else Side.OUTPUT, Name(*row[3:5]), row[5])
        for row in rows
    }
    return sorted(found)


async def datasets(fetch: Fetch, names: Collection[Name]) -> dict[Name, DatasetFacts]:
    by_key = keys_of(names)
    rows = await fetch_each(fetch, _DATASETS, by_key)
    return {
        by_key[key]: DatasetFacts(by_key[key], first, last, _loaded(facets), not shows)
        for key, first, last, facets, shows in rows
    }


async def jobs(fetch: Fetch, names: Collection[Name]) -> dict[Name, JobFacts]:
    by_key = keys_of(names)
    rows = await fetch_each(fetch, _JOBS, by_key)
    return {
        by_key[key]: JobFacts(by_key[key], first, last, _loaded(facets), _design(designs), not shows)
        for key, first, last, facets, designs, shows in rows
    }


def _loaded(facets: list[list[str]]) -> Facets:
    return {name: orjson.loads(body) for name, body in facets}


def _design(designs: list[list[Any]]) -> dict[Side, tuple[Name, ...]]:
    return {Side(side): tuple(Name(*pair) for pair in orjson.loads(listed)) for side, listed in designs}


async def namespaces(fetch: Fetch) -> dict[str, tuple[str, str]]:
    found: dict[str, tuple[str, str]] = {}
    for namespace, first, last in await fetch(_NAMESPACES):
        before = found.get(namespace, (first, last))
        found[namespace] = (min(before[0], first), max(before[1], last))
    return found


async def counts(fetch: Fetch) -> dict[str, int]:
    """Without those of documents."""
    return {name: int((await fetch(statement))[0][0]) for name, statement in _COUNTS.items()}


_LINKS = """
UNWIND $rows AS row
MATCH (d:Dataset {key: row})
CALL (d) {
    MATCH (d)-[:SYMLINK]->(o:Dataset) RETURN d AS a, o AS b, null AS time
    UNION ALL MATCH (d)<-[:SYMLINK]-(o:Dataset) RETURN o AS a, d AS b, null AS time
    UNION ALL MATCH (d)<-[:CHANGE_OF]-(c:Change {change: 'RENAME'})-[:PREVIOUS]->(o:Dataset)
        RETURN o AS a, d AS b, c.time AS time
    UNION ALL MATCH (d)<-[:PREVIOUS]-(c:Change {change: 'RENAME'})-[:CHANGE_OF]->(o:Dataset)
        RETURN d AS a, o AS b, c.time AS time
}
RETURN collect([a.namespace, a.name, b.namespace, b.name, time])
"""
_CARRIERS = "UNWIND $rows AS row MATCH (d:Dataset {key: row}) WHERE d.carrier RETURN collect([row])"
_DROPS = """
UNWIND $rows AS row
MATCH (:Dataset {key: row})<-[:CHANGE_OF]-(c:Change {change: 'DROP'})
RETURN collect([row, c.time])
"""
_EDGES_OF_JOBS = f"""
UNWIND $rows AS row
MATCH (j:Job {{key: row}}) WHERE j.edgesSince IS NOT NULL AND {SHOWS.format("j")}
CALL (j) {{
    MATCH ()-[r:CONSUMES]->(d:Dataset) WHERE r.recent >= j.key + ' ' + j.edgesSince AND r.recent < j.key + '!'
    RETURN r, d
    UNION ALL
    MATCH ()-[r:PRODUCES]->(d:Dataset) WHERE r.recent >= j.key + ' ' + j.edgesSince AND r.recent < j.key + '!'
    RETURN r, d
}}
WITH j, r, d WHERE {SHOWS.format("d")}
RETURN collect([j.namespace, j.name, type(r), d.namespace, d.name, r.lastTime])
"""
_EDGES_OF_DATASETS = f"""
UNWIND $rows AS row
MATCH (j:Job)-[r:CONSUMES|PRODUCES]->(d:Dataset {{key: row}})
WHERE r.lastTime >= j.edgesSince AND {SHOWS.format("j")} AND {SHOWS.format("d")}
RETURN collect([j.namespace, j.name, type(r), d.namespace, d.name, r.lastTime])
"""
_SAID = "[(n)-[r:SAYS]->(v:Value) WHERE v.body IS NOT NULL | [r.name, v.body]]"
_DATASETS = f"""
UNWIND $rows AS row
MATCH (n:Dataset {{key: row}}) WHERE n.firstTime IS NOT NULL
RETURN collect([row, n.firstTime, n.lastTime, {_SAID}, {SHOWS.format("n")}])
"""
_JOBS = f"""
UNWIND $rows AS row
MATCH (n:Job {{key: row}})
RETURN collect([row, n.firstTime, n.lastTime, {_SAID}, [(n)-[:DESIGN]->(s:Design) | [s.side, s.datasets]],
    {SHOWS.format("n")}])
"""
_NAMESPACES = """
CALL () {
    MATCH (n:Job) RETURN n.namespace AS namespace, min(n.firstTime) AS first, max(n.lastTime) AS last
    UNION ALL
    MATCH (n:Dataset) WHERE n.firstTime IS NOT NULL
    RETURN n.namespace AS namespace, min(n.firstTime) AS first, max(n.lastTime) AS last
}
RETURN collect([namespace, first, last])
"""
_COUNTS = {
    "runs": "MATCH (n:Run) RETURN [[count(n)]]",
    "jobs": "MATCH (n:Job) RETURN [[count(n)]]",
    "datasets": "MATCH (n:Dataset) WHERE n.sort IS NOT NULL RETURN [[count(n)]]",
    "generations": "MATCH ()-[r:MADE]->() RETURN [[count(r)]]",
}
