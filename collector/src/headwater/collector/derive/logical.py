"""Rule 11: which runs are attempts of the same work."""

from __future__ import annotations

from typing import Any

from headwater.collector.projection import nominal_start
from headwater.collector.stores.reading import Facets
from headwater.shared import times
from headwater.shared.event import Name


def logical_key(job: Name | None, facets: Facets) -> str | None:
    """The given key, else ``{namespace}/{job}/{nominal start}``, else None."""
    attempt: dict[str, Any] | None = facets.get("headwater_attempt")
    if attempt:
        return str(attempt["logicalKey"])
    start = nominal_start(facets.get("nominalTime"))
    return f"{job.namespace}/{job.name}/{times.display(start)}" if job and start else None
