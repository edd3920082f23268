"""Marquez's fields of a dataset: {name, type, tags, description}, nested ones named by their path.

Most datasets are asked about again with the schema they had before, and stores hand out the same parsed facet then: its
fields are made once. What is here is shared by answers: nobody may change it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from headwater.collector.stores.reading import Facets

from ..services import Json
from . import facets as read

_MAX_KEPT: Final = 2_048
_made: dict[int, tuple[Any, list[Json]]] = {}
"""By the identity of the facet, which is kept so that its identity stays its own."""


def fields_of(facets: Facets, tagged: Mapping[str | None, list[str]]) -> list[Json]:
    """Of the schema facet, with the tags of each field, see ``tags_by_field``."""
    plain = _plain(facets)
    if not tagged.keys() - {None}:
        return plain
    return [{**field, "tags": tagged.get(field["name"], [])} for field in plain]


def _plain(facets: Facets) -> list[Json]:
    schema = facets.get("schema")
    if not isinstance(schema, dict):
        return []
    kept = _made.get(id(schema))
    if kept is not None:
        return kept[1]
    made: list[Json] = [
        {"name": name, "type": _text(field.get("type")), "tags": [], "description": _text(field.get("description"))}
        for name, field in read.flat_fields(facets)
    ]
    if len(_made) >= _MAX_KEPT:
        _made.clear()
    _made[id(schema)] = (schema, made)
    return made


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
