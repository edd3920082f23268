"""Marquez's lineage graph."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import orjson

from headwater.collector.derive.edges import names_in
from headwater.collector.derive.identity import Identity
from headwater.collector.questions.folding import Folded
from headwater.collector.questions.keeping import MadeNode, bodies_of
from headwater.collector.questions.lineage import Graph
from headwater.collector.questions.lookup import Lookup
from headwater.collector.questions.stated import runs_of_jobs, stated_by
from headwater.collector.questions.whole import together
from headwater.collector.stores.reading import Node, Reader
from headwater.shared.event import Name

from ..nodes import node_id
from ..services import Json
from .datasets import dataset_data
from .jobs import job_data
from .views import EDGES_ONLY, JobView, dataset_views, job_views, run_views


async def graph_shape(reader: Reader, folded: Folded, *, at: str | None = None, nearest_first: bool = False) -> Json:
    """{graph: [{id, type, data, inEdges, outEdges}]} sorted by id, edges in the direction in which data flows.

    Added: ``truncated`` and ``truncatedBy``; in a node its ``distance``; in ``data`` of a dataset ``committed`` (false
    while no run that wrote it has completed), of a job ``datasetEdges`` where the explicit lineage facet states them,
    of a folded node ``folded`` (the ids it stands for) and ``pattern``. Entities are loaded once, in bulk, at the end.
    ``at``: the newest run of a job is the newest that had begun by then.
    """
    around = folded.graph
    data = await _data(reader, around, at)
    for node, members in folded.members.items():
        _add(data, node, "folded", [node_id(*member) for member in members])
    for node, pattern in folded.patterns.items():
        _add(data, node, "pattern", pattern)
    ids = {node: node_id(*node) for node in data}
    rank = {node: place for place, node in enumerate(sorted(data))}  # comparing numbers is cheaper than names
    shown = [edge for edge in around.edges if edge[0] in data and edge[1] in data]  # else deleted a moment ago
    incoming: dict[Node, list[Json]] = {}
    outgoing: dict[Node, list[Json]] = {}
    for origin, destination in sorted(shown, key=lambda edge: (rank[edge[0]], rank[edge[1]])):
        edge = {"origin": ids[origin], "destination": ids[destination]}
        outgoing.setdefault(origin, []).append(edge)
        incoming.setdefault(destination, []).append(edge)
    nodes: list[Json] = [
        {
            "id": ids[node],
            "type": node[0].upper(),
            "data": orjson.Fragment(found),
            "inEdges": incoming.get(node, []),
            "outEdges": outgoing.get(node, []),
            "distance": around.distances[node],
        }
        for node, found in data.items()
    ]
    nodes.sort(key=lambda node: (node["distance"] if nearest_first else 0, str(node["id"])))
    return {"graph": nodes, "truncated": around.truncated_by is not None, "truncatedBy": around.truncated_by}


def _add(data: dict[Node, bytes], node: Node, key: str, value: Any) -> None:
    if node in data:
        data[node] = orjson.dumps({**orjson.loads(data[node]), key: value})


async def _data(reader: Reader, around: Graph, at: str | None) -> dict[Node, bytes]:
    """Of nodes that are there, as JSON."""

    async def make(nodes: Collection[Node]) -> dict[Node, MadeNode]:
        jobs, datasets = ([name for found, name in nodes if found == kind] for kind in ("job", "dataset"))
        made, others = await together(_made_jobs(reader, jobs, at), _made_datasets(reader, datasets))
        return {**made, **others}

    if at is None:
        return await bodies_of(reader, around.distances.keys(), make)
    return {node: each.body for node, each in (await make(around.distances.keys())).items()}


async def _made_jobs(reader: Reader, names: Collection[Name], at: str | None) -> dict[Node, MadeNode]:
    views = await job_views(reader, names, runs=1 if at is None else 0)
    if at is not None:
        views = await _views_at(reader, views, at)
    stated = await _dataset_edges(reader, views.values())
    identity = Lookup(reader).identity
    made: dict[Node, MadeNode] = {}
    for name, view in views.items():
        data = job_data(view)
        if name in stated:
            data["datasetEdges"] = stated[name]
        made["job", name] = MadeNode(orjson.dumps(data), _datasets_behind(view, identity))
    return made


def _datasets_behind(view: JobView, identity: Identity) -> set[Name]:
    """All that a job's node is made from, under each of their names."""
    named = {*view.inputs, *view.outputs}.union(*(names_in(run.facts) for run in view.latest))
    return {member for name in named for member in identity.members(name)}


async def _made_datasets(reader: Reader, names: Collection[Name]) -> dict[Node, MadeNode]:
    return {
        ("dataset", name): MadeNode(
            orjson.dumps({**dataset_data(view), "committed": view.versioned}), (view.canonical, *view.aliases)
        )
        for name, view in (await dataset_views(reader, names)).items()
    }


async def _views_at(reader: Reader, views: Mapping[Name, JobView], at: str) -> dict[Name, JobView]:
    rows = await runs_of_jobs(Lookup(reader), views, at, 1)
    runs = await run_views(reader, [row.run for found in rows.values() for row in found], described=EDGES_ONLY)
    return {
        name: view._replace(latest=[runs[row.run] for row in rows.get(name, ()) if row.run in runs])
        for name, view in views.items()
    }


async def _dataset_edges(reader: Reader, views: Collection[JobView]) -> dict[Name, list[Json]]:
    """Of jobs whose newest run states them: what each output was made from. No other way leads through the job."""
    lookup = Lookup(reader)
    telling = [view for view in views if view.latest and _tells(view)]
    await lookup.identify(io.dataset for view in telling for io in view.latest[0].facts.io)
    found: dict[Name, list[Json]] = {}
    for view in telling:
        stated = stated_by(lookup, [view.latest[0].facts])
        edges = sorted((source, output) for output, sources in stated.items() for source in sources)
        if stated:
            found[view.facts.job] = [
                {"origin": node_id("dataset", source), "destination": node_id("dataset", output)}
                for source, output in edges
            ]
    return found


def _tells(view: JobView) -> bool:
    facts = view.latest[0].facts
    return "lineage" in facts.job_facets or any(facet.name == "lineage" for facet in facts.output_facets)
