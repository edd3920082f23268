"""``GET /api/v1/lineage``: the current graph around a job or dataset, as Marquez draws it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from ..answers import Answer, not_found
from ..marquez.graph import graph_shape
from ..nodes import resolve
from ..params import MAX_DEPTH
from ..services import Services

MAX_NODES = 10_000


def router(services: Services) -> APIRouter:
    routes = APIRouter(prefix="/api/v1", tags=["Marquez"])

    @routes.get("/lineage")
    async def get_lineage(
        node_id: Annotated[
            str | None, Query(alias="nodeId", description="dataset:NAMESPACE:NAME or job:NAMESPACE:NAME.")
        ] = None,
        depth: Annotated[int, Query(ge=-1, le=MAX_DEPTH, description="Job hops, upstream and downstream alike.")] = 20,
        namespace: Annotated[str | None, Query(description="With name, instead of nodeId.")] = None,
        name: Annotated[str | None, Query(description="With namespace, instead of nodeId.")] = None,
        kind: Annotated[str | None, Query(description="dataset or job, beside namespace and name.")] = None,
        limit: Annotated[int, Query(ge=1, le=MAX_NODES, description="Nodes at most.")] = MAX_NODES,
    ) -> Answer:
        """The graph of jobs and datasets around a node. Depth 0 is the job with what it reads and writes.

        Where a bound cut the graph, `truncated` is true and `truncatedBy` names it.
        """
        reader = services.questions.reader
        node = await resolve(reader, node_id, kind, namespace, name)
        around = await services.questions.neighbourhood(node.name, node.kind, depth=max(depth, 0), limit=limit)
        if around is None:
            raise not_found(f"{node.kind.capitalize()} '{node.name.name}' not found.")
        return Answer(await graph_shape(reader, around))

    return routes
