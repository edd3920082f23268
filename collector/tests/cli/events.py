"""Small events for the tests of the command line."""

from __future__ import annotations

import json
import uuid
from typing import Any

NAMESPACE = "shop"


def event(run: str, type_: str = "COMPLETE", *, at: int = 0, **more: Any) -> dict[str, Any]:
    """One run event. ``run`` is any text; ``inputs`` and ``outputs`` are ``name`` or ``name@version``."""
    sides = {side: [dataset(each) for each in more.pop(side, [])] for side in ("inputs", "outputs")}
    return {
        "eventType": type_,
        "eventTime": f"2026-03-02T02:{at:02}:00Z",
        "producer": "https://example.org/tests",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": run_id(run), "facets": more.pop("facets", {})},
        "job": {"namespace": NAMESPACE, "name": more.pop("job", "load")},
        **sides,
        **more,
    }


def dataset(text: str) -> dict[str, Any]:
    """``name`` or ``name@version`` in the tests' namespace."""
    name, _, version = text.partition("@")
    facets = {"version": facet(datasetVersion=version)} if version else {}
    return {"namespace": NAMESPACE, "name": name, "facets": facets}


def facet(**values: Any) -> dict[str, Any]:
    """A facet with the keys that every facet has."""
    return {"_producer": "https://example.org/tests", "_schemaURL": "https://example.org/facet.json", **values}


def run_id(run: str) -> str:
    """The UUID of a run's short name."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, run))


def lines(*events: Any) -> bytes:
    """As NDJSON; bytes and texts as they are."""
    return b"".join(
        (each if isinstance(each, bytes) else each.encode() if isinstance(each, str) else json.dumps(each).encode())
        + b"\n"
        for each in events
    )
