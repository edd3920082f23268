"""A stored event as Marquez gives it back: its bytes, with eventTime in UTC."""

from __future__ import annotations

import re

import orjson

from headwater.shared import times

from .runs import shown

_BOM = b"\xef\xbb\xbf"
_EVENT_TIME = re.compile(rb'"eventTime"\s*:\s*("(?:[^"\\]|\\.)*")')
_CANONICAL = re.compile(rb'"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{0,5}[1-9])?Z"')
_PROBE = "\x00"


def event_body(raw: bytes) -> orjson.Fragment:
    """Every other byte is as it was sent, numbers, order and spelling included."""
    raw = raw.removeprefix(_BOM)
    found = list(_EVENT_TIME.finditer(raw))
    for match in reversed(found):
        if _CANONICAL.fullmatch(match[1]) and len(found) == 1:
            break
        if len(found) > 1 and not _is_outermost(raw, match):
            continue
        written = shown(times.parse(orjson.loads(match[1])))
        raw = raw[: match.start(1)] + orjson.dumps(written) + raw[match.end(1) :]
        break
    return orjson.Fragment(raw)


def _is_outermost(raw: bytes, match: re.Match[bytes]) -> bool:
    """Whether it is the event's own: of several keys of one name the last counts, and a facet may hold one too."""
    probed = raw[: match.start(1)] + orjson.dumps(_PROBE) + raw[match.end(1) :]
    try:
        return bool(orjson.loads(probed)["eventTime"] == _PROBE)
    except orjson.JSONDecodeError:
        return False
