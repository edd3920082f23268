"""Numbered events of a small warehouse: two to a run, versions, facets, failures, starts that come late. The same
number gives the same bytes, in every process."""

from __future__ import annotations

import json
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

SPACE = uuid.UUID("0f6a3f0e-6b7e-5a1c-8d1f-6f4f9a0b7c21")
EPOCH = datetime(2026, 1, 1, tzinfo=UTC)
PRODUCER = "https://example.org/faults"
JOBS = 60


def raw(family: str, number: int) -> bytes:
    """Event ``number``: of run ``number // 2``, its end before its start for every fifth run."""
    run, half = divmod(number, 2)
    done = bool(half) ^ (run % 5 == 4)
    return json.dumps(_event(family, run, done)).encode()


def _event(family: str, run: int, done: bool) -> dict[str, Any]:
    job = run % JOBS
    began = EPOCH + timedelta(seconds=7 * run)
    failed = run % 11 == 3
    output = _dataset(family, job + 1, {"version": _facet({"datasetVersion": f"v{run}"})} if not failed else {})
    return {
        "eventType": ("FAIL" if failed else "COMPLETE") if done else "START",
        "eventTime": (began + timedelta(seconds=5 if done else 0)).isoformat(),
        "producer": PRODUCER,
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": str(uuid.uuid5(SPACE, f"{family}/{run}")), "facets": _run_facets(family, run)},
        "job": {"namespace": family, "name": f"step{job}", "facets": {}},
        "inputs": [_dataset(family, job, {}), _dataset(family, job // 2, {})],
        "outputs": [output] if done else [],
    }


def _run_facets(family: str, run: int) -> dict[str, Any]:
    parent = {"runId": str(uuid.uuid5(SPACE, f"{family}/day{run // 500}"))}
    return {"parent": _facet({"run": parent, "job": {"namespace": family, "name": "day"}})}


def _dataset(family: str, number: int, facets: dict[str, Any]) -> dict[str, Any]:
    fields = [{"name": f"column{column}", "type": "BIGINT"} for column in range(number % 6 + 1)]
    return {"namespace": family, "name": f"table{number}", "facets": {"schema": _facet({"fields": fields}), **facets}}


def _facet(body: dict[str, Any]) -> dict[str, Any]:
    return {"_producer": PRODUCER, "_schemaURL": "https://openlineage.io/spec/facets/1-0-0/Facet.json", **body}
