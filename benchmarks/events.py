"""The events that every benchmark uses: START and COMPLETE of runs in a layered graph, ten jobs wide, with 20-column
schemas on every dataset. One event is about 4.5 kB."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import orjson

WIDTH = 10
COLUMNS = 20
PRODUCER = "https://example.org/benchmarks"
SPEC = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"
START = datetime(2026, 1, 1, tzinfo=UTC)


def facet(**values: Any) -> dict[str, Any]:
    return {"_producer": PRODUCER, "_schemaURL": f"{PRODUCER}/facet.json", **values}


def dataset(layer: int, index: int) -> dict[str, Any]:
    fields = [{"name": f"column_{n:02d}", "type": "VARCHAR"} for n in range(COLUMNS)]
    return {
        "namespace": "postgres://warehouse.example.org:5432",
        "name": f"analytics.layer_{layer}.table_{index}",
        "facets": {
            "schema": facet(fields=fields),
            "dataSource": facet(name="warehouse", uri="postgres://warehouse.example.org:5432/analytics"),
        },
    }


def run_event(kind: str, run: int, layer: int, index: int, at: datetime) -> dict[str, Any]:
    """One event of the run number ``run`` of the job at (layer, index): it reads two tables and writes one."""
    return {
        "eventType": kind,
        "eventTime": at.isoformat().replace("+00:00", "Z"),
        "producer": PRODUCER,
        "schemaURL": SPEC,
        "run": {
            "runId": str(UUID(int=0x01900000000070008000000000000000 + run)),
            "facets": {
                "nominalTime": facet(nominalStartTime=START.isoformat()),
                "processing_engine": facet(version="3.12", name="Python"),
            },
        },
        "job": {
            "namespace": "benchmark",
            "name": f"layer_{layer}.job_{index}",
            "facets": {
                "jobType": facet(processingType="BATCH", integration="HEADWATER", jobType="TASK"),
                "sourceCodeLocation": facet(type="git", url="https://example.org/repo", version="0" * 40),
            },
        },
        "inputs": [dataset(layer - 1, index), dataset(layer - 1, (index + 1) % WIDTH)],
        "outputs": [dataset(layer, index)],
    }


def run_events(runs: int, jobs: int, *, first: int = 0) -> Iterator[bytes]:
    """START and COMPLETE of ``runs`` runs over ``jobs`` jobs in turn."""
    for run in range(first, first + runs):
        layer, index = divmod(run % jobs, WIDTH)
        at = START + timedelta(seconds=run)
        yield orjson.dumps(run_event("START", run, layer + 1, index, at))
        yield orjson.dumps(run_event("COMPLETE", run, layer + 1, index, at + timedelta(milliseconds=500)))


def small_event(run: int) -> dict[str, Any]:
    """What the producer's benchmark emits: one input and one output with 20-column schemas."""
    event = run_event("COMPLETE", run, 1, 0, START)
    del event["inputs"][1]
    return event
