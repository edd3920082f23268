"""What an event that comes over HTTP must have beyond what the codec asks for: its sender is there to mend it.

From the log events are taken without it, since nobody could be told.
"""

from __future__ import annotations

from typing import Any, Final

from headwater.shared import codec
from headwater.shared.errors import InvalidEventError, InvalidFieldError
from headwater.shared.event import LineageEvent
from headwater.shared.limits import Limits

from .answers import Refusal

_NEEDED: Final = {
    "RunEvent": ("run", "job", "producer", "eventTime"),
    "JobEvent": ("job", "producer", "eventTime"),
    "DatasetEvent": ("dataset", "producer", "eventTime"),
}
"""By what an event calls itself, in the order in which Marquez names them."""


def check_whole(event: LineageEvent) -> None:
    """Raises Refusal 422 naming what is missing, as Marquez does: the producer, and the run of what calls itself a
    RunEvent."""
    calls_itself = _called(event.body)
    needs = [key for key in _NEEDED.get(calls_itself, ()) if key in ("run", "producer")] or ["producer"]
    faults = [not_null(key) for key in needs if event.body.get(key) is None]
    if faults:
        raise Refusal(422, "; ".join(faults), errors=faults)


def missing(body: Any) -> list[str]:
    """What an event that the codec refused has not got at all, in Marquez's words. What calls itself nothing is a
    RunEvent, unless it has what another kind has."""
    if not isinstance(body, dict):
        return []
    kind = _called(body)
    if kind not in _NEEDED:
        has = [key for key in ("run", "job", "dataset") if body.get(key) is not None]
        kind = {"job": "JobEvent", "dataset": "DatasetEvent"}.get(has[0] if has else "run", "RunEvent")
    return [not_null(key) for key in _NEEDED[kind] if body.get(key) is None]


def not_null(name: str) -> str:
    """Marquez's words for what is missing."""
    return f"{name} must not be null"


def names_no_job(raw: bytes, error: InvalidEventError, limits: Limits) -> bool:
    """Whether the event was refused for a job whose name is empty, which Marquez answers with 400."""
    if not isinstance(error, InvalidFieldError) or error.where != "/job/name":
        return False
    return bool(codec.loads_strict(raw, limits)["job"].get("name") == "")


def _called(body: dict[str, Any]) -> str:
    schema = body.get("schemaURL")
    return schema.rpartition("/")[2] if isinstance(schema, str) else ""
