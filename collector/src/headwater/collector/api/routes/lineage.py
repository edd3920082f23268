"""``GET /api/v1/lineage``: the graph around a job or dataset as Marquez draws it, and what its users asked for."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias, get_args

from fastapi import APIRouter, Query

from headwater.collector.questions.folding import FOLDS, Fold, Folded, fold
from headwater.collector.questions.keeping import NodeMemory
from headwater.collector.questions.lineage import Graph, directed, neighbourhood
from headwater.collector.questions.lookup import Lookup
from headwater.collector.questions.version_graph import version_graph
from headwater.collector.stores.reading import Reader
from headwater.shared.event import Name

from ..answers import Answer, bad_request, not_found
from ..marquez.graph import graph_shape
from ..marquez.version_graph import version_graph_shape
from ..nodes import Node, first_known, readings, resolve
from ..params import MarquezDepth, OneWayDepth, Time
from ..services import Json, Services
from ..versions import claims_meant

MAX_NODES = 10_000
Direction: TypeAlias = Literal["upstream", "downstream", "both"]


def router(services: Services) -> APIRouter:
    routes = APIRouter(prefix="/api/v1", tags=["Marquez"])
    memory = NodeMemory()

    @routes.get("/lineage")
    async def get_lineage(
        node_id: Annotated[
            str | None,
            Query(
                alias="nodeId", description="dataset:NAMESPACE:NAME or job:NAMESPACE:NAME, with #VERSION or without."
            ),
        ] = None,
        depth: MarquezDepth = 20,
        namespace: Annotated[str | None, Query(description="With name, instead of nodeId.")] = None,
        name: Annotated[str | None, Query(description="With namespace, instead of nodeId.")] = None,
        kind: Annotated[str | None, Query(description="dataset or job, beside namespace and name.")] = None,
        direction: Annotated[
            Direction | None,
            Query(description="Along the data alone. Left out: every job that shares a dataset, as Marquez does."),
        ] = None,
        upstream_depth: Annotated[OneWayDepth, Query(alias="upstreamDepth")] = None,
        downstream_depth: Annotated[OneWayDepth, Query(alias="downstreamDepth")] = None,
        as_of: Annotated[Time, Query(alias="asOf", description="The graph as it was at that time (ISO 8601).")] = None,
        folds: Annotated[
            str | None,
            Query(alias="fold", description=f"{', '.join(FOLDS)} or several of them, with commas: a view for people."),
        ] = None,
        unfold: Annotated[
            list[str] | None, Query(description="With fold=parent: ids of jobs that stay unfolded.", max_length=100)
        ] = None,
        order: Annotated[
            Literal["id", "distance"], Query(description="Of the nodes: by id, as Marquez's, or nearest first.")
        ] = "id",
        limit: Annotated[int, Query(ge=1, le=MAX_NODES, description="Nodes at most; the nearest stay.")] = MAX_NODES,
    ) -> Answer:
        """The graph of jobs and datasets around a node. Depth 0 is the job with what it reads and writes.

        With `direction`, or a depth of one way, only what lies upstream or downstream along the data; where a job
        states by the lineage facet what an output was made from, only that leads through it. With a version, what that
        version was made from and what was made from it. Where a bound cut the graph, `truncated` is true and
        `truncatedBy` names it.
        """
        chosen = _folds(folds)

        async def ask(reader: Reader) -> Json:
            node = await resolve(reader, node_id, kind, namespace, name)
            hops = _hops(direction, depth, upstream_depth, downstream_depth)
            if node.version is not None:
                if as_of is not None or chosen:
                    raise bad_request("a version has one past only: query params asOf and fold do not go with it")
                claims = await claims_meant(reader, node)
                if claims is None:
                    raise not_found(f"Version '{node.version}' of {node.kind} '{node.name.name}' not found.")
                if claims:
                    up, down = hops or (depth + 1, depth)
                    versions = await version_graph(Lookup(reader), claims, up=up, down=down, limit=limit)
                    return await version_graph_shape(reader, versions)
            around = await _around(reader, node, hops, depth, limit, as_of)
            folded = Folded(around, {}, {})
            if chosen:
                folded = await fold(Lookup(reader), around, chosen, await _unfolded(reader, unfold or []))
            return await graph_shape(reader, folded, at=as_of, nearest_first=order == "distance")

        return Answer(await services.questions.whole(lambda view: memory.asking(view, ask)))

    return routes


async def _around(
    reader: Reader, node: Node, hops: tuple[int, int] | None, depth: int, limit: int, at: str | None
) -> Graph:
    lookup = Lookup(reader)
    start = (node.kind, node.name if node.kind == "job" else await lookup.canonical(node.name))
    if hops is None:
        return await neighbourhood(lookup, start, depth=depth, limit=limit, at=at)
    return await directed(lookup, start, up=hops[0], down=hops[1], limit=limit, at=at)


def _hops(
    direction: Direction | None, depth: int, upstream: int | None, downstream: int | None
) -> tuple[int, int] | None:
    """(up, down), or None where Marquez's undirected walk is meant. A depth of one way alone goes that way alone."""
    if direction is None and upstream is None and downstream is None:
        return None
    up = depth if upstream is None and (direction in ("upstream", "both")) else upstream or 0
    down = depth if downstream is None and (direction in ("downstream", "both")) else downstream or 0
    return (0 if direction == "downstream" else up), (0 if direction == "upstream" else down)


def _folds(text: str | None) -> list[Fold]:
    chosen: list[Fold] = []
    for word in (text or "").split(","):
        found = next((each for each in get_args(Fold) if each == word.strip().lower()), None)
        if found is not None:
            chosen.append(found)
        elif word.strip():
            raise bad_request(f"query param fold must be one of [{', '.join(FOLDS)}], or several with commas")
    return chosen


async def _unfolded(reader: Reader, ids: list[str]) -> set[Name]:
    found: set[Name] = set()
    for text in ids:
        kind, _, rest = text.partition(":")
        known = await first_known(reader, "job", readings(rest)) if kind == "job" else None
        if known is None:
            raise not_found(f"query param unfold: Job '{text}' not found.")
        found.add(known[0])
    return found
