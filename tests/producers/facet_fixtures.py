"""The facets that the OpenLineage standard's own tests hold, each stated by a run, where facets of its kind stand."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.outside import need

PRODUCER = "https://example.org/facet-fixtures"
PLACES = {
    "OutputDatasetFacet": ("outputs", "outputFacets"),
    "InputDatasetFacet": ("inputs", "inputFacets"),
    "DatasetFacet": ("outputs", "facets"),
    "JobFacet": ("job", "facets"),
    "RunFacet": ("run", "facets"),
}
"""How the name of a facet's class ends -> where in an event it stands. The first that fits counts."""


@dataclass(frozen=True)
class Fixture:
    """One file: the facets in it, by name, and the run that states them."""

    origin: str
    run_id: str
    place: tuple[str, str]
    facets: dict[str, Any]

    def event(self) -> dict[str, Any]:
        """A COMPLETE that says them; its job is named after the file."""
        said: dict[str, Any] = {
            "eventType": "COMPLETE",
            "eventTime": "2026-11-29T10:00:00Z",
            "producer": PRODUCER,
            "run": {"runId": self.run_id, "facets": {}},
            "job": {"namespace": "fixtures", "name": self.origin, "facets": {}},
            "inputs": [{"namespace": "fixtures", "name": f"{self.origin}/in", "facets": {}, "inputFacets": {}}],
            "outputs": [{"namespace": "fixtures", "name": f"{self.origin}/out", "facets": {}, "outputFacets": {}}],
        }
        part, key = self.place
        holder = said[part][0] if isinstance(said[part], list) else said[part]
        holder[key] = self.facets
        return said


def facet_fixtures() -> list[Fixture]:
    """One for each file."""
    root: Path = need("openlineage/tests")
    found = []
    for number, path in enumerate(sorted(root.glob("*/*.json")), 1):
        facets = json.loads(path.read_text())
        run_id = f"01938a1c-0000-7000-8000-{number:012x}"
        found.append(Fixture(f"{path.parent.name}/{path.stem}", run_id, _place(path.parent.name, facets), facets))
    return found


def _place(kind: str, facets: dict[str, Any]) -> tuple[str, str]:
    """Two kinds stand in several places; their content says in which."""
    if kind == "LineageFacet":
        return PLACES["JobFacet" if "entries" in facets["lineage"] else "DatasetFacet"]
    if kind == "BaseSubsetDatasetFacet":
        return PLACES["InputDatasetFacet" if "inputCondition" in facets["subset"] else "OutputDatasetFacet"]
    return next(place for ending, place in PLACES.items() if kind.endswith(ending))
