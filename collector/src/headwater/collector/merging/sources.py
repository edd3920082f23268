"""Sources, as the dataSource facets of datasets state them."""

from __future__ import annotations

from typing import Any

from headwater.collector.stores.reading import SourceFacts


def add_source(found: dict[tuple[str, str], SourceFacts], facet: dict[str, Any], first: str, last: str) -> None:
    """What a dataSource facet says; facets that differ in other things speak of one source."""
    name, uri = facet.get("name"), facet.get("uri")
    if not isinstance(name, str) or not name.strip():
        return
    uri = uri if isinstance(uri, str) else None
    before = found.get((name, uri or ""), SourceFacts(name, uri, first, last))
    found[name, uri or ""] = SourceFacts(name, uri, min(before.first_time, first), max(before.last_time, last))
