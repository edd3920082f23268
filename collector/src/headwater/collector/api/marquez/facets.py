"""Single values taken out of facets that anyone may have written: a wrong type reads as absent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from headwater.collector.catalog import is_own_facet

from ..services import Json


def text_of(facets: Json, facet: str, key: str) -> str | None:
    """A text inside a facet, or None."""
    found = facets.get(facet)
    if not isinstance(found, dict):
        return None
    value = found.get(key)
    return value if isinstance(value, str) else None


def object_of(facet: Json, key: str) -> Json:
    """An object inside a facet, or an empty one."""
    return _object(facet.get(key))


def objects_of(facets: Json, facet: str, key: str) -> Iterator[Json]:
    """The objects of a list inside a facet."""
    values = _object(facets.get(facet)).get(key)
    for value in values if isinstance(values, list) else ():
        if isinstance(value, dict):
            yield value


def owners(facets: Json) -> list[Json]:
    """Those of the ownership facet that have a name."""
    if "ownership" not in facets:
        return []
    return [owner for owner in objects_of(facets, "ownership", "owners") if owner.get("name")]


def shown_facets(facets: Json) -> Json:
    """Without those that the API keeps its own statements in. Not to be changed."""
    own = [name for name in facets if is_own_facet(name)]
    return {name: facet for name, facet in facets.items() if name not in own} if own else facets


def flat_fields(facets: Json) -> Iterator[tuple[str, Json]]:
    """The schema facet's fields, nested ones named by their path, as ``a.b``."""
    return _flat_fields(list(objects_of(facets, "schema", "fields")), "")


def column_lineage(facets: Json) -> list[Json] | None:
    """Marquez's ColumnLineage, or None without the facet. Only what version 1-0 of the facet knew."""
    if "columnLineage" not in facets:
        return None
    columns = _object(facets["columnLineage"]).get("fields")
    if not isinstance(columns, dict):
        return None
    return [_column(name, _object(column)) for name, column in columns.items()]


def _column(name: str, column: Json) -> Json:
    kind, description = _text(column.get("transformationType")), _text(column.get("transformationDescription"))
    inputs = column.get("inputFields")
    return {
        "name": name,
        "inputFields": [
            {
                "namespace": _text(source.get("namespace")),
                "dataset": _text(source.get("name")),
                "field": _text(source.get("field")),
                "transformationDescription": description,
                "transformationType": kind,
            }
            for source in (inputs if isinstance(inputs, list) else ())
            if isinstance(source, dict)
        ],
        "transformationDescription": description,
        "transformationType": kind,
    }


def _flat_fields(found: list[Json], prefix: str) -> Iterator[tuple[str, Json]]:
    for field in found:
        name = _text(field.get("name"))
        if name is None:
            continue
        yield prefix + name, field
        nested = field.get("fields")
        if isinstance(nested, list):
            yield from _flat_fields([each for each in nested if isinstance(each, dict)], f"{prefix}{name}.")


def _object(value: Any) -> Json:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
