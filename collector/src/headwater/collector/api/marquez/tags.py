"""Tags: those given through the API, one facet each, and those of the tags facet."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import quote

from headwater.collector.catalog import TAG_FACET
from headwater.collector.stores.reading import Facets

from .facets import objects_of, text_of

_PREFIX = f"{TAG_FACET}:"


def tag_facet_name(tag: str, field: str | None) -> str:
    """The facet that holds one tag of a thing or of one of its fields."""
    return _PREFIX + quote(tag, safe="") + ("" if field is None else f":{quote(field, safe='')}")


def given_tags(facets: Facets, field: str | None = None) -> list[str]:
    """Tags of a thing (or a field) that were given through the API."""
    return sorted({tag for tag, of in _given(facets) if of == field})


def tags(facets: Facets, field: str | None = None) -> list[str]:
    """All tags of a thing (or a field). A tag of the tags facet counts by its key, if its value says no more than that
    the tag holds; a key with a value of its own is no tag in Marquez's sense and stays in the facet."""
    stated = {
        str(tag["key"])
        for tag in objects_of(facets, "tags", "tags")
        if tag.get("key") and (tag.get("field") or None) == field and tag.get("value") in (None, "", "true", True)
    }
    return sorted(stated.union(given_tags(facets, field)))


def _given(facets: Facets) -> Iterator[tuple[str, str | None]]:
    for name in facets:
        if name.startswith(_PREFIX) and (tag := text_of(facets, name, "tag")):
            yield tag, text_of(facets, name, "field")
