"""What an event that comes over HTTP must have beyond what the codec asks for: its sender is there to mend it.

From the log events are taken without it, since nobody could be told.
"""

from __future__ import annotations

from typing import Final

from headwater.shared import codec
from headwater.shared.errors import InvalidEventError, InvalidFieldError
from headwater.shared.event import LineageEvent
from headwater.shared.limits import Limits

from .answers import Refusal

_RUN_EVENT: Final = "/RunEvent"


def check_whole(event: LineageEvent) -> None:
    """Raises Refusal 422 naming what is missing, as Marquez does: the producer, and the run of what calls itself a
    RunEvent."""
    faults = []
    if event.kind != "run":
        schema = event.body.get("schemaURL")
        if isinstance(schema, str) and schema.endswith(_RUN_EVENT):
            faults.append("run must not be null")
    if event.body.get("producer") is None:
        faults.append("producer must not be null")
    if faults:
        raise Refusal(422, "; ".join(faults), errors=faults)


def names_no_job(raw: bytes, error: InvalidEventError, limits: Limits) -> bool:
    """Whether the event was refused for a job whose name is empty, which Marquez answers with 400."""
    if not isinstance(error, InvalidFieldError) or error.where != "/job/name":
        return False
    return bool(codec.loads_strict(raw, limits)["job"].get("name") == "")
