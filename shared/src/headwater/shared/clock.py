"""Time comes in through a clock, so that policies can be tested without waiting."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """Wall time and monotonic time, both in seconds."""

    def now_s(self) -> float:
        """Seconds since the Unix epoch."""
        ...

    def monotonic_s(self) -> float:
        """Seconds that never go back; only differences mean anything."""
        ...


class SystemClock:
    """The machine's own clocks."""

    def now_s(self) -> float:
        return time.time()

    def monotonic_s(self) -> float:
        return time.monotonic()


class ManualClock:
    """A clock that moves when told: for tests, ours and users'."""

    def __init__(self, now_s: float = 1_767_225_600.0) -> None:
        self._now_s = now_s

    def now_s(self) -> float:
        return self._now_s

    def monotonic_s(self) -> float:
        return self._now_s

    def advance(self, seconds: float) -> None:
        self._now_s += seconds
