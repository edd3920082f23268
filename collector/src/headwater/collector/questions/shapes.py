"""How answers look as JSON: camelCase keys, names as {namespace, name}, times in display form, None for unknown."""

from __future__ import annotations

from typing import Any

from headwater.collector.stores.reading import Claim, RunRow
from headwater.shared import times
from headwater.shared.event import Name

Json = dict[str, Any]


def name_json(name: Name) -> Json:
    return {"namespace": name.namespace, "name": name.name}


def time_json(canonical: str | None) -> str | None:
    return None if canonical is None else times.display(canonical)


def run_json(row: RunRow) -> Json:
    """A run in a list."""
    return {
        "runId": row.run,
        "job": row.job and name_json(row.job),
        "state": row.state,
        "contradiction": row.contradiction,
        "started": time_json(row.started),
        "ended": time_json(row.ended),
        "firstSeen": time_json(row.first_time),
        "lastSeen": time_json(row.last_time),
        "nominalStart": time_json(row.nominal_start),
        "logicalKey": row.logical_key,
        "parent": row.parent,
        "root": row.root,
    }


def claim_json(claim: Claim) -> Json:
    return {"version": claim.version, "runId": claim.run, "committedAt": time_json(claim.commit_time)}
