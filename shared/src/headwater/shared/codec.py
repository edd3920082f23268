"""From bytes to a LineageEvent and back: the one door through which events come in."""

from __future__ import annotations

from typing import Any

from .canonical import canonical_json, event_id_of
from .diagnosis import pointer
from .engine import STDLIB, Engine, default_engine, dumps
from .envelope import read_envelope
from .errors import InvalidEventError, NotJsonError, NotUtf8Error, TooDeepError
from .event import LineageEvent
from .limits import DEFAULT_LIMITS, Limits
from .runid import run_uuid
from .strict import loads_strict, parse

__all__ = ["canonical_json", "decode", "dumps", "event_id_of", "from_dict", "loads_strict", "run_uuid"]


def decode(raw: bytes, limits: Limits = DEFAULT_LIMITS, *, engine: Engine | None = None) -> LineageEvent:
    """The event in ``raw``. Raises one of the InvalidEventError family that says what is wrong and where.

    The id is of the body as parsed: spaces, the order of keys and the way a character is escaped make no difference,
    anything else does.
    """
    body, canonical = parse(raw, limits, engine or default_engine())
    return read_envelope(raw, event_id_of(canonical), body, limits)


def from_dict(body: dict[str, Any], limits: Limits = DEFAULT_LIMITS, *, engine: Engine | None = None) -> LineageEvent:
    """The event in a dict: written compactly, then decoded, so that both ways in have the same rules. The event's body
    is a copy. Raises as ``decode``; a value that is no JSON is a NotJsonError."""
    engine = engine or default_engine()
    try:
        raw = engine.dumps(body)
    except (TypeError, ValueError, RecursionError) as error:
        raise _unwritable(body, error, limits) from None
    return decode(raw, limits, engine=engine)


def _unwritable(body: object, error: Exception, limits: Limits) -> InvalidEventError:
    """What in the body cannot be written as JSON, and where: the first in document order."""
    waiting: list[tuple[str, object, int]] = [("", body, 1)]
    while waiting:
        where, value, depth = waiting.pop()
        if isinstance(value, (dict, list, tuple)):
            if depth > limits.max_depth:  # also how a value that contains itself ends
                return TooDeepError(f"nested deeper than {limits.max_depth} levels", where=where[:200])
            items = list(value.items() if isinstance(value, dict) else enumerate(value))
            for key, _ in items:
                if refusal := _refusal({key: None}, pointer(where, key)):
                    return refusal
            waiting.extend((pointer(where, key), item, depth + 1) for key, item in reversed(items))
        elif refusal := _refusal(value, where):
            return refusal
    return NotJsonError(f"cannot be written as JSON: {error}")


def _refusal(value: Any, where: str) -> InvalidEventError | None:
    try:
        STDLIB.dumps(value)
    except UnicodeEncodeError:
        return NotUtf8Error("half of a surrogate pair without its other half", where=where)
    except (TypeError, ValueError, RecursionError) as error:
        return NotJsonError(f"cannot be written as JSON: {error}", where=where)
    return None
