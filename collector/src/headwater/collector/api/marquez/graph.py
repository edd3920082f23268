"""Marquez's lineage graph."""

from __future__ import annotations

from headwater.collector.questions.lineage import Graph, Node
from headwater.collector.stores.reading import Reader

from ..nodes import node_id
from ..services import Json
from .datasets import dataset_data
from .jobs import job_data
from .views import dataset_views, job_views


async def graph_shape(reader: Reader, around: Graph) -> Json:
    """{graph: [{id, type, data, inEdges, outEdges}]} sorted by id, edges in the direction in which data flows.

    ``truncated`` and ``truncatedBy`` are added. Entities are loaded once, in bulk, at the end.
    """
    names = {kind: [name for found, name in around.distances if found == kind] for kind in ("job", "dataset")}
    data: dict[Node, Json] = {}
    for name, job in (await job_views(reader, names["job"], runs=1)).items():
        data["job", name] = job_data(job)
    for name, dataset in (await dataset_views(reader, names["dataset"])).items():
        data["dataset", name] = dataset_data(dataset)
    incoming: dict[Node, list[Json]] = {}
    outgoing: dict[Node, list[Json]] = {}
    for origin, destination in sorted(around.edges):
        edge = {"origin": node_id(*origin), "destination": node_id(*destination)}
        outgoing.setdefault(origin, []).append(edge)
        incoming.setdefault(destination, []).append(edge)
    nodes: list[Json] = [
        {
            "id": node_id(*node),
            "type": node[0].upper(),
            "data": found,
            "inEdges": incoming.get(node, []),
            "outEdges": outgoing.get(node, []),
        }
        for node, found in data.items()
    ]
    nodes.sort(key=lambda node: str(node["id"]))
    return {"graph": nodes, "truncated": around.truncated_by is not None, "truncatedBy": around.truncated_by}
