"""Secrets out of what people and logs get to see."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

HIDDEN: Final = "***"

_SECRET_KEY = re.compile(r"passw|secret|token|credential|api_?key|private_?key", re.IGNORECASE)
_USERINFO = re.compile(r"(?<=://)[^/?#\s@]*:[^/?#\s]*@")


def redacted(value: Any, key: str = "") -> Any:
    """A copy in which values under telling keys, and passwords within URLs, are hidden. ``key``: the value's own."""
    if isinstance(value, Mapping):
        return {name: redacted(item, str(name)) for name, item in value.items()}
    if value is not None and not isinstance(value, bool) and _SECRET_KEY.search(key):
        return HIDDEN
    if isinstance(value, str):
        return _USERINFO.sub(f"{HIDDEN}@", value)
    if isinstance(value, list | tuple):
        return type(value)(redacted(item, key) for item in value)
    return value
