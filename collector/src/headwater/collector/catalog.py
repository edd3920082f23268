"""What people say about the catalog by way of the API (owners, sources, tags, deletions), as events like any other.

Nothing here is a fact of its own kind. Namespaces, sources and tags are datasets in reserved namespaces, described by
facets; a tag on a job, dataset or field is a facet of its own name; a deletion is a facet that says up to when. See
docs/adr/0011-the-catalog-is-events.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from headwater.shared import times

RESERVED: Final = "headwater:"
"""Namespaces that begin so hold the catalog, not data."""
NAMESPACES: Final = f"{RESERVED}namespaces"
SOURCES: Final = f"{RESERVED}sources"
TAGS: Final = f"{RESERVED}tags"

ANNOTATION_FACET: Final = "headwater_annotation"
"""``asOf``: a time. The event speaks about a job or dataset and is no sign of its life: it counts as seen then, when it
had been seen already. The facet steers the projection and is not kept."""
DELETED_FACET: Final = "headwater_deleted"
"""``asOf``: a time. A job, a dataset or an entry of ``NAMESPACES`` is deleted until it is seen after that time."""
NAMESPACE_FACET: Final = "headwater_namespace"
"""``ownerName``."""
SOURCE_FACET: Final = "headwater_source"
"""``type``, ``connectionUrl``."""
DATASET_FACET: Final = "headwater_dataset"
"""``physicalName``, ``schemaLocation``: what Marquez's old PUT says and no standard facet has room for."""
ARGS_FACET: Final = "headwater_args"
"""``args`` of a run: text to text."""
TAG_FACET: Final = "headwater_tag"
"""``tag``, ``field``. One facet for each tag and field, named ``headwater_tag:...``, so that each is set and taken away
by itself."""

OWN_FACETS: Final = frozenset(
    {ANNOTATION_FACET, DELETED_FACET, NAMESPACE_FACET, SOURCE_FACET, DATASET_FACET, ARGS_FACET}
)


_OF_TAG: Final = f"{TAG_FACET}:"


def is_reserved(namespace: str) -> bool:
    """Whether a namespace holds the catalog itself."""
    return namespace.startswith(RESERVED)


def is_own_facet(name: str) -> bool:
    """Whether a facet is one of the API's own, which its answers show by other means."""
    return name in OWN_FACETS or name.startswith(_OF_TAG)


def as_of(facets: Mapping[str, Any], name: str) -> str | None:
    """The canonical ``asOf`` of a facet, or None where it is not stated or is no time."""
    facet = facets.get(name)
    value = facet.get("asOf") if isinstance(facet, dict) else None
    try:
        return times.parse(value) if isinstance(value, str) else None
    except ValueError:
        return None
