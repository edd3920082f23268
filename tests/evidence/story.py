"""Two releases of ``revenue`` with a failed attempt between them; code, environment, parameters and positions told."""

from __future__ import annotations

import json
import uuid
from typing import Any

from headwater.shared.event import Name

REVENUE, ORDERS = Name("shop/eu", "revenue"), Name("shop/eu", "orders")
COMMIT = "0123456789abcdef0123456789abcdef01234567"


def run_id(name: str) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, name))


def facet(**values: Any) -> dict[str, Any]:
    return {"_producer": "https://example.org/tests", "_schemaURL": "https://example.org/facet.json", **values}


def mention(ref: str, **facets: Any) -> dict[str, Any]:
    """``name`` or ``name@version``."""
    name, _, version = ref.partition("@")
    said = {"version": facet(datasetVersion=version)} if version else {}
    return {"namespace": REVENUE.namespace, "name": name, "facets": {**said, **facets}}


def event(run: str, kind: str, at: int, job: str, **more: Any) -> dict[str, Any]:
    return {
        "eventType": kind,
        "eventTime": f"2026-03-02T02:{at:02}:00Z",
        "producer": "https://example.org/tests",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": run_id(run), "facets": more.get("run_facets", {})},
        "job": {"namespace": "jobs", "name": job, "facets": more.get("job_facets", {})},
        "inputs": more.get("inputs", []),
        "outputs": more.get("outputs", []),
    }


def publish_facets(day: int) -> dict[str, Any]:
    return {
        "nominalTime": facet(
            nominalStartTime=f"2026-03-0{day}T00:00:00Z", nominalEndTime=f"2026-03-0{day + 1}T00:00:00Z"
        ),
        "environmentVariables": facet(
            environmentVariables=[{"name": "TZ", "value": "UTC"}, {"name": "A", "value": "1"}]
        ),
        "executionParameters": facet(parameters=[{"key": "threshold", "value": "0.5"}]),
        "processing_engine": facet(version="3.11.9", name="python"),
    }


def code(version: str = COMMIT) -> dict[str, Any]:
    location = facet(
        type="git", url="https://example.org/repo/job.py", repoUrl="https://example.org/repo", version=version
    )
    return {"sourceCodeLocation": location, "sql": facet(query="select 1")}


def story() -> list[bytes]:
    said: dict[str, Any] = {"run_facets": publish_facets(2), "job_facets": code()}
    rows = {"inputFacets": {"inputStatistics": facet(rowCount=10), "position": facet(offset=7)}}
    events = [
        event("load 1", "COMPLETE", 1, "load", outputs=[mention("orders@snap-1")]),
        event("first", "START", 2, "publish", run_facets=publish_facets(1), job_facets=code("f" * 40)),
        event("first", "COMPLETE", 3, "publish", inputs=[mention("orders@snap-1")], outputs=[mention("revenue@rev-1")]),
        event("failed", "START", 4, "publish", inputs=[mention("orders@snap-1")], **said),
        event("failed", "FAIL", 5, "publish", outputs=[mention("revenue@rev-2")]),
        event("load 2", "COMPLETE", 6, "load", outputs=[mention("orders@snap-2")]),
        event("rates", "COMPLETE", 7, "rates", outputs=[mention("rates")]),
        event("retry", "START", 8, "publish", **said),
        event(
            *("retry", "COMPLETE", 9, "publish"),
            inputs=[{**mention("orders@snap-2"), **rows}, mention("rates"), mention("elsewhere")],
            outputs=[mention("revenue@rev-3")],
            **said,
        ),
    ]
    return [json.dumps(each).encode() for each in events]
