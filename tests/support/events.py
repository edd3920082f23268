"""A good event, when any will do."""

from __future__ import annotations

import json
from typing import Any


def good_event(number: int, of: int, **more: Any) -> bytes:
    """The end of run ``number``, of job number ``of``, which writes output number ``of``; ``more`` replaces keys."""
    body = {
        "eventType": "COMPLETE",
        "eventTime": "2026-01-01T00:00:00Z",
        "producer": "https://example.org/test",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": f"00000000-0000-7000-8000-{number:012x}"},
        "job": {"namespace": "jobs", "name": f"job-{of}"},
        "outputs": [{"namespace": "db", "name": f"out-{of}"}],
    }
    return json.dumps(body | more).encode()
