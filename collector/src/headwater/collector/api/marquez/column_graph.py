"""Marquez's graph of columns. Its edges run against the data: ``inEdges`` from a column to what it was made from."""

from __future__ import annotations

from headwater.collector.derive.column_details import ColumnInput
from headwater.collector.questions.column_graph import Column, ColumnGraph
from headwater.collector.stores.reading import Reader
from headwater.shared.event import Name

from ..services import Json
from .datasets import dataset as dataset_shape
from .versions import generation_uuid
from .views import dataset_views


async def column_graph_shape(reader: Reader, found: ColumnGraph, *, versioned: bool) -> Json:
    """{graph: [{id, type: DATASET_FIELD, data, inEdges, outEdges}]} sorted by id. ``versioned``: ids and versions are
    those of the generations, else those of now. Added: ``distance``, and ``transformations`` of each input."""
    views = await dataset_views(reader, {name for name, _, _ in found.columns})
    now = {name: dataset_shape(view) for name, view in views.items()}
    shown = {column: distance for column, distance in found.columns.items() if column[0] in now}

    def version_of(column: Column) -> str | None:
        name, generation, _ = column
        if versioned:
            return generation_uuid(name, generation)
        current: str | None = now[name]["currentVersion"] if name in now else None
        return current

    def id_of(column: Column) -> str:
        name, _, field = column
        plain = f"datasetField:{name.namespace}:{name.name}:{field}"
        return f"{plain}#{version_of(column)}" if versioned else plain

    def input_of(each: ColumnInput, source: Column, description: str | None, kind: str | None) -> Json:
        return {
            **_names(each.dataset),
            "datasetVersion": version_of(source),
            "field": each.field,
            "transformationDescription": description,
            "transformationType": kind,
            "transformations": list(each.transformations),
            "wholeDataset": each.whole,
        }

    outgoing: dict[Column, set[Column]] = {}
    for column, (_, inputs) in found.said.items():
        for _, source in inputs:
            if source in shown and column in shown:
                outgoing.setdefault(source, set()).add(column)
    nodes: list[Json] = []
    for column, distance in shown.items():
        said, inputs = found.said.get(column, (None, []))
        name, _, field = column
        here = id_of(column)
        nodes.append(
            {
                "id": here,
                "type": "DATASET_FIELD",
                "data": {
                    **_names(name),
                    "datasetVersion": version_of(column),
                    "field": field,
                    "fieldType": _field_type(now[name], field) if said is not None else "",
                    "transformationDescription": said and said.description,
                    "transformationType": said and said.type,
                    "inputFields": [
                        input_of(each, source, said and said.description, said and said.type) for each, source in inputs
                    ],
                },
                "inEdges": _edges(here, sorted(id_of(source) for _, source in inputs if source in shown)),
                "outEdges": _edges(here, sorted(id_of(each) for each in outgoing.get(column, ()))),
                "distance": distance,
            }
        )
    nodes.sort(key=lambda node: str(node["id"]))
    return {"graph": nodes, "truncated": found.truncated_by is not None, "truncatedBy": found.truncated_by}


def _names(name: Name) -> Json:
    return {"namespace": name.namespace, "dataset": name.name}


def _edges(origin: str, destinations: list[str]) -> list[Json]:
    return [{"origin": origin, "destination": each} for each in destinations]


def _field_type(dataset: Json, field: str) -> str:
    """Marquez says "" where it knows none."""
    return next((each["type"] or "" for each in dataset["fields"] if each["name"] == field), "")
