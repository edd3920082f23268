"""Every field of an event that the codec refuses, not the first alone: the client mends them in one go."""

from __future__ import annotations

from typing import Any

from headwater.shared import codec
from headwater.shared.errors import InvalidEventError, InvalidFieldError
from headwater.shared.limits import Limits

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
    """The messages, ``first`` included. The codec alone judges: what it refuses is mended, and it is asked again."""
    faults = [str(first)]
    if not isinstance(first, InvalidFieldError) or len(raw) > _MAX_BYTES:
        return faults
    body = codec.loads_strict(raw, limits)
    error: InvalidEventError = first
    seen: set[str] = set()
    while len(faults) < _MAX_FAULTS and error.where not in seen and _mend(body, error.where):
        seen.add(error.where)
        try:
            codec.from_dict(body, limits)
        except InvalidEventError as another:
            error = another
            faults.append(str(another))
        else:
            break
    return faults


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
