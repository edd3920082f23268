"""Tags: those given through the API, one facet each, and those of the tags facet."""

from __future__ import annotations

from urllib.parse import quote

from headwater.collector.catalog import TAG_FACET
from headwater.collector.stores.reading import Facets

from .facets import objects_of, text_of

_PREFIX = f"{TAG_FACET}:"


def tag_facet_name(tag: str, field: str | None) -> str:
    """The facet that holds one tag of a thing or of one of its fields."""
    return _PREFIX + quote(tag, safe="") + ("" if field is None else f":{quote(field, safe='')}")


def tags_by_field(facets: Facets) -> dict[str | None, list[str]]:
    """All tags of a thing (under None) and of its fields, sorted. A tag of the tags facet counts by its key, if its
    value says no more than that the tag holds; a key with a value of its own is no tag in Marquez's sense and stays in
    the facet."""
    found: dict[str | None, set[str]] = {}
    for tag in objects_of(facets, "tags", "tags") if "tags" in facets else ():
        if tag.get("key") and tag.get("value") in (None, "", "true", True):
            field = tag.get("field")
            found.setdefault(field if isinstance(field, str) and field else None, set()).add(str(tag["key"]))
    for name in facets:
        if name.startswith(_PREFIX) and (given := text_of(facets, name, "tag")):
            found.setdefault(text_of(facets, name, "field"), set()).add(given)
    return {field: sorted(each) for field, each in found.items()}


def tags(facets: Facets) -> list[str]:
    """Those of the thing itself."""
    return tags_by_field(facets).get(None, [])
