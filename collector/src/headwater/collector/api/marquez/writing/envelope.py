"""What every event of the API has."""

from __future__ import annotations

from typing import Any, Final

from headwater.shared import times
from headwater.shared.event import Name

from ...services import Json

PRODUCER: Final = "urn:headwater:api"
"""Tells the events of the API from those of producers."""
SPEC: Final = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/"
_FACET_SCHEMA: Final = f"{SPEC}BaseFacet"


def facet(**body: Any) -> Json:
    """A facet; what is None is left out."""
    stated = {key: value for key, value in body.items() if value is not None}
    return {"_producer": PRODUCER, "_schemaURL": _FACET_SCHEMA, **stated}


def documentation(description: str | None) -> Json:
    """The standard facet; an absent description takes an earlier one away."""
    return {"documentation": facet(_deleted=True) if description is None else facet(description=description)}


def dataset_event(now: str, dataset: Name, facets: Json) -> Json:
    """A DatasetEvent. ``now`` is canonical."""
    return {**_head(now, "DatasetEvent"), "dataset": {**dataset._asdict(), "facets": facets}}


def job_event(now: str, job: Name, facets: Json, **sides: list[Name]) -> Json:
    """A JobEvent. ``inputs`` and ``outputs``: what is not given is not said."""
    return {
        **_head(now, "JobEvent"),
        "job": {**job._asdict(), "facets": facets},
        **{side: [name._asdict() for name in names] for side, names in sides.items()},
    }


def run_event(
    now: str,
    run: str,
    job: Name,
    *,
    kind: str | None = None,
    facets: Json | None = None,
    inputs: list[Json] | None = None,
    outputs: list[Json] | None = None,
) -> Json:
    """A RunEvent; without ``kind`` it adds facts and sets no state."""
    return {
        **_head(now, "RunEvent"),
        **({} if kind is None else {"eventType": kind}),
        "run": {"runId": run, "facets": facets or {}},
        "job": job._asdict(),
        "inputs": inputs or [],
        "outputs": outputs or [],
    }


def _head(now: str, kind: str) -> Json:
    return {"eventTime": times.display(now), "producer": PRODUCER, "schemaURL": f"{SPEC}{kind}"}
