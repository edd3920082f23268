"""Log lines that an outage would repeat: at most one a minute of each kind."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Final

import structlog

from headwater.shared.clock import Clock

EVERY_S: Final = 60.0
"""How long a kind keeps silent after a line."""


class SparseLog:
    """Says the first line of a kind at once. What comes of it within the next ``every_s`` seconds is counted, and
    the next line after them says how many were held back (``held_back``)."""

    def __init__(self, clock: Clock, *, every_s: float = EVERY_S) -> None:
        self._clock, self._every_s = clock, every_s
        self._last_s: dict[Hashable, float] = {}
        self._held_back: dict[Hashable, int] = {}
        self._log = structlog.get_logger("headwater.collector")

    def info(self, event: str, *, of: str, **more: Any) -> None:
        """``of``: whose line it is, a lane or a store; with the event it is the line's kind."""
        self._say("info", event, of, more)

    def warning(self, event: str, *, of: str, **more: Any) -> None:
        """As ``info``."""
        self._say("warning", event, of, more)

    def error(self, event: str, *, of: str, **more: Any) -> None:
        """As ``info``."""
        self._say("error", event, of, more)

    def _say(self, level: str, event: str, of: str, more: dict[str, Any]) -> None:
        kind, now_s = (event, of), self._clock.monotonic_s()
        last_s = self._last_s.get(kind)
        if last_s is not None and now_s - last_s < self._every_s:
            self._held_back[kind] = self._held_back.get(kind, 0) + 1
            return
        self._last_s[kind] = now_s
        held_back = self._held_back.pop(kind, 0)
        if held_back:
            more["held_back"] = held_back
        getattr(self._log, level)(event, **more)
