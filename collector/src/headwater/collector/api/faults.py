"""Every field of an event that the codec refuses, not the first alone: the client mends them in one go."""

from __future__ import annotations

from typing import Any

from headwater.shared import codec
from headwater.shared.errors import InvalidEventError, InvalidFieldError
from headwater.shared.limits import Limits

from .wholeness import missing, not_null

_MAX_FAULTS = 20
_MAX_BYTES = 256 * 1024
_TEXT = "x"
_NAMED = {"namespace": _TEXT, "name": _TEXT}
_SOUND: dict[str, Any] = {
    "eventTime": "2000-01-01T00:00:00Z",
    "eventType": None,
    "run": {"runId": _TEXT},
    "runId": _TEXT,
    "job": _NAMED,
    "dataset": _NAMED,
    "namespace": _TEXT,
    "name": _TEXT,
    "inputs": None,
    "outputs": None,
}


def all_faults(raw: bytes, first: InvalidEventError, limits: Limits) -> list[str]:
    """The messages, ``first`` included; what is missing in Marquez's words. The codec alone judges the rest: what it
    refuses is mended, and it is asked again."""
    if not isinstance(first, InvalidFieldError) or len(raw) > _MAX_BYTES:
        return [str(first)]
    body = codec.loads_strict(raw, limits)
    absent = missing(body)
    faults = [*absent, *(fault for fault in _refused(body, first, limits) if fault not in absent)]
    return faults[:_MAX_FAULTS]


def _refused(body: Any, first: InvalidFieldError, limits: Limits) -> list[str]:
    if not first.where and missing(body):
        return []  # it is no kind of event: what is missing says so
    faults = [_message(first)]
    error: InvalidEventError = first
    seen: set[str] = set()
    while len(faults) < _MAX_FAULTS and error.where not in seen and _mend(body, error.where):
        seen.add(error.where)
        try:
            codec.from_dict(body, limits)
        except InvalidEventError as another:
            error = another
            faults.append(_message(another))
        else:
            break
    return faults


def _message(error: InvalidEventError) -> str:
    """``/job/name: is missing`` is ``job.name must not be null`` for Marquez's clients."""
    where = getattr(error, "where", "")
    if where and str(error) == f"{where}: is missing":
        return not_null("".join(f"[{part}]" if part.isdigit() else f".{part}" for part in where.split("/")[1:])[1:])
    return str(error)


def _mend(body: Any, where: str) -> bool:
    """Puts a sound value where a JSON pointer into the envelope points; False if none is known."""
    *above, last = where.split("/")[1:] or [""]
    if last not in _SOUND and not last.isdigit():
        return False
    target = body
    for key in above:
        target = target[int(key)] if isinstance(target, list) else target[key]
    sound = _SOUND.get(last, _NAMED)
    target[int(last) if isinstance(target, list) else last] = dict(sound) if isinstance(sound, dict) else sound
    return True
