"""Runs that never end: how it is said that nothing was heard of one (docs/semantics.md, rule 16).

The event is a RunEvent of type OTHER with the run facet ``headwater_interrupted``. It is a function of the run's last
event and of the policy, so collectors that judge alike say one and the same event, whose repetition changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

from headwater.shared import times
from headwater.shared.event import Name

INTERRUPTED_FACET: Final = "headwater_interrupted"
"""``lastSeen``: the event time of the last thing heard of the run; ``afterSeconds``; ``reason``."""
INTERRUPT: Final = "INTERRUPT"
"""The word for it among a run's states (``RunState.type``); no ``eventType``."""
INTERRUPTED: Final = "INTERRUPTED"
"""The state of a run that was interrupted and never ended."""
PRODUCER: Final = "urn:headwater:stale-policy"
_SCHEMA: Final = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"
FACET_SCHEMA: Final = "urn:headwater:facet:HeadwaterInterruptedRunFacet:1-0-0"


def silent_since(facet: Mapping[str, Any]) -> str | None:
    """The canonical ``lastSeen``, or None where it is no time."""
    value = facet.get("lastSeen")
    try:
        return times.parse(value) if isinstance(value, str) else None
    except ValueError:
        return None


def interruption_event(run: str, job: Name, last_seen: str, after: timedelta) -> dict[str, Any]:
    """The event for a run that was last heard of at ``last_seen`` (canonical) and not for ``after`` since."""
    seconds = int(after.total_seconds())
    shown = times.display(last_seen)
    return {
        "eventType": "OTHER",
        "eventTime": times.display(times.shifted(last_seen, seconds)),
        "producer": PRODUCER,
        "schemaURL": _SCHEMA,
        "run": {
            "runId": run,
            "facets": {
                INTERRUPTED_FACET: {
                    "_producer": PRODUCER,
                    "_schemaURL": FACET_SCHEMA,
                    "lastSeen": shown,
                    "afterSeconds": seconds,
                    "reason": f"nothing was heard of the run for {seconds} s after {shown}",
                }
            },
        },
        "job": {"namespace": job.namespace, "name": job.name},
        "inputs": [],
        "outputs": [],
    }
