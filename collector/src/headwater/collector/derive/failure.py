"""What a run says of its failure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

ERROR_FACETS = ("errorMessage", "spark.exception")
"""The first one that is there counts. OpenLineage's agent for Spark says a failure in a facet of its own, with the
``message`` and ``stackTrace`` of the standard one."""


def error_of(facets: Mapping[str, Any]) -> dict[str, Any] | None:
    """The facet, from a run's; None where it has neither."""
    return next((facets[name] for name in ERROR_FACETS if name in facets), None)
