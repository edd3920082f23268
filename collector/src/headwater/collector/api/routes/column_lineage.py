"""``GET /api/v1/column-lineage``: which columns a column was made from, and which were made from it."""

from __future__ import annotations

from itertools import islice
from typing import Annotated, Literal, NamedTuple

from fastapi import APIRouter, Query

from headwater.collector.facts import Side
from headwater.collector.questions.column_graph import Column, ColumnGraph, ColumnWalk, columns_of_generation
from headwater.collector.questions.edge_sources import edges_at
from headwater.collector.questions.lookup import Lookup
from headwater.collector.stores.reading import Reader
from headwater.shared.event import Name
from headwater.shared.limits import DEFAULT_LIMITS

from ..answers import Answer, Refusal, bad_request, not_found
from ..marquez.column_graph import column_graph_shape
from ..nodes import Node, first_known, no_node_id, readings, resolve, versions_of
from ..params import MarquezDepth, Time
from ..services import Services
from ..versions import claims_meant

_MAX_READINGS = 2_000
_MAX_CHARS = 3 * 3 * DEFAULT_LIMITS.max_name_chars + 64


class _Start(NamedTuple):
    """Of a nodeId. ``field`` None: all columns."""

    node: Node
    field: str | None


def router(services: Services) -> APIRouter:
    routes = APIRouter(prefix="/api/v1", tags=["Marquez"])

    @routes.get("/column-lineage")
    async def get_column_lineage(
        node_id: Annotated[
            str | None,
            Query(
                alias="nodeId",
                description="dataset:NAMESPACE:NAME, datasetField:NAMESPACE:NAME:FIELD or job:NAMESPACE:NAME, "
                "#VERSION behind it or not.",
            ),
        ] = None,
        depth: MarquezDepth = 20,
        with_downstream: Annotated[
            bool, Query(alias="withDownstream", description="Also what was made from the columns.")
        ] = False,
        namespace: Annotated[str | None, Query(description="With name, instead of nodeId.")] = None,
        name: Annotated[str | None, Query(description="With namespace, instead of nodeId.")] = None,
        kind: Annotated[str | None, Query(description="dataset or job, beside namespace and name.")] = None,
        field: Annotated[str | None, Query(description="Of a dataset, beside namespace and name.")] = None,
        direction: Annotated[
            Literal["upstream", "downstream", "both"] | None,
            Query(description="Instead of withDownstream; downstream also of columns that are made from nothing."),
        ] = None,
        as_of: Annotated[Time, Query(alias="asOf", description="The columns as stated at that time.")] = None,
        whole: Annotated[
            bool, Query(alias="wholeDataset", description="Also inputs that affect an output as a whole (filters).")
        ] = True,
    ) -> Answer:
        """The graph of columns. As Marquez's, it is empty for a dataset none of whose columns is made from others, also
        with `withDownstream`; `direction=downstream` answers for those too. Of a version it goes upstream only.
        """
        reader = services.questions.reader
        downstream = with_downstream or direction in ("downstream", "both")
        if node_id is None and not namespace and not name:
            raise no_node_id()
        start = await _start(reader, node_id, kind, namespace, name, field)
        hops = max(depth, 1)
        if start.node.version is not None:
            if downstream or as_of is not None:
                raise bad_request("Node version cannot be specified when withDownstream is true or asOf is given")
            found = await _of_version(reader, start, hops, whole)
            return Answer(await column_graph_shape(reader, found, versioned=True))
        walk = ColumnWalk(Lookup(reader), at=as_of, whole=whole)
        first = await _first_columns(reader, walk, start, as_of, direction)
        up = 0 if direction == "downstream" else hops
        found = await walk.walk(first, up=up, down=hops if downstream else 0)
        return Answer(await column_graph_shape(reader, found, versioned=False))

    return routes


async def _first_columns(
    reader: Reader, walk: ColumnWalk, start: _Start, at: str | None, direction: str | None
) -> list[Column]:
    lookup = Lookup(reader)
    if start.node.kind == "job":
        edges = await edges_at(reader, at).of_jobs([start.node.name])
        written = [edge.dataset for edge in edges if edge.side is Side.OUTPUT]
        await lookup.identify(written)
        return await walk.of_datasets({lookup.identity.of(each) for each in written})
    name = await lookup.canonical(start.node.name)
    if start.field is not None:
        return [(name, None, start.field)]
    columns = await walk.of_datasets([name])
    if direction in ("downstream", "both"):
        said = {field for _, _, field in columns}
        columns += [(name, None, each) for each in await _fields(reader, name) if each not in said]
    return columns


async def _fields(reader: Reader, dataset: Name) -> list[str]:
    from ..marquez.datasets import dataset_data
    from ..marquez.views import dataset_views

    views = await dataset_views(reader, [dataset])
    return [each["name"] for view in views.values() for each in dataset_data(view)["fields"]]


async def _of_version(reader: Reader, start: _Start, depth: int, whole: bool) -> ColumnGraph:
    lookup = Lookup(reader)
    claims = await claims_meant(reader, start.node)
    if claims is None:
        raise not_found("Could not find node")
    await lookup.identify(claim.dataset for claim in claims)
    graphs = [
        await columns_of_generation(lookup, claim, start.field, depth=depth, whole=whole) for claim in sorted(claims)
    ]
    whole_graph = ColumnGraph({}, {}, None)
    for graph in graphs:
        for column, distance in graph.columns.items():
            whole_graph.columns[column] = min(distance, whole_graph.columns.get(column, distance))
        whole_graph.said.update(graph.said)
    return whole_graph._replace(truncated_by=next((each.truncated_by for each in graphs if each.truncated_by), None))


async def _start(
    reader: Reader, text: str | None, kind: str | None, namespace: str | None, name: str | None, field: str | None
) -> _Start:
    prefix, _, rest = (text or "").partition(":")
    if text is not None and prefix == "datasetField":
        return await _field_start(reader, rest)
    try:
        node = await resolve(reader, text, kind, namespace, name)
    except Refusal as refusal:
        if refusal.status == 404:
            raise not_found("Could not find node") from refusal
        raise
    return _Start(node, field if node.kind == "dataset" else None)


async def _field_start(reader: Reader, rest: str) -> _Start:
    """``NAMESPACE:NAME:FIELD``, each of which may hold colons: the reading whose dataset has such a field, else the
    first whose dataset exists."""
    if len(rest) > _MAX_CHARS:
        raise bad_request(f"query param nodeId is longer than {_MAX_CHARS} characters")
    found: list[_Start] = []
    for candidate in islice(_field_readings(rest), _MAX_READINGS):
        dataset, field, version = candidate
        known = await first_known(reader, "dataset", ((each, None) for each, _ in readings(dataset)))
        if known is not None:
            start = _Start(Node("dataset", known[0], version), field)
            if field in await _known_fields(reader, known[0]):
                return start
            found.append(start)
    if not found:
        raise not_found("Could not find node")
    return found[0]


def _field_readings(rest: str) -> list[tuple[str, str, str | None]]:
    return [
        (text[:at], text[at + 1 :], version)
        for text, version in versions_of(rest)
        for at in range(len(text) - 2, 0, -1)
        if text[at] == ":"
    ]


async def _known_fields(reader: Reader, dataset: Name) -> set[str]:
    lookup = Lookup(reader)
    name = await lookup.canonical(dataset)
    columns = await ColumnWalk(lookup).of_datasets([name])
    return {field for _, _, field in columns} | set(await _fields(reader, name))
