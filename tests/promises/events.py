"""Numbered events that a parent and its killed children can both make: the same number gives the same bytes."""

from __future__ import annotations

import json
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

PRODUCER = "https://example.org/promises"
SPACE = uuid.UUID("7f1d3a52-0c1e-5b7c-9a44-2f6d1f0f9d11")
EPOCH = datetime(2026, 1, 1, tzinfo=UTC)


def numbered(family: str, number: int) -> dict[str, Any]:
    """Two events a run, START and COMPLETE, through a chain of ten datasets."""
    run, done = divmod(number, 2)
    step = run % 10
    return {
        "eventType": "COMPLETE" if done else "START",
        "eventTime": (EPOCH + timedelta(seconds=number)).isoformat(),
        "producer": PRODUCER,
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": str(uuid.uuid5(SPACE, f"{family}/{run}")), "facets": {}},
        "job": {"namespace": family, "name": f"step{step}", "facets": {}},
        "inputs": [{"namespace": family, "name": f"table{step}", "facets": {}}],
        "outputs": [{"namespace": family, "name": f"table{step + 1}", "facets": {}}] if done else [],
    }


def raw(family: str, number: int) -> bytes:
    return json.dumps(numbered(family, number)).encode()


def of_sender(sender: str, count: int) -> list[bytes]:
    """Events of one job of its own, so that they can be asked for alone."""
    job = {"namespace": "senders", "name": sender}
    return [json.dumps({**numbered(sender, number), "job": job}).encode() for number in range(count)]
