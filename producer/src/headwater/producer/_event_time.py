"""Event times: UTC with microseconds, strictly increasing within a run whatever the machine's clock does."""

from __future__ import annotations

from time import gmtime

from headwater.shared.clock import Clock


class EventTimes:
    """Gives one run its event times."""

    __slots__ = ("_clock", "_last_us")

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last_us = 0

    def next(self) -> str:
        """Now, or a microsecond after the last one given if the clock stood still or went back."""
        now_us = max(int(self._clock.now_s() * 1_000_000), self._last_us + 1)
        self._last_us = now_us
        return text_of_us(now_us)


def text_of_us(microseconds: int) -> str:
    """Microseconds since the Unix epoch as ``2026-01-01T00:00:00.000000Z``."""
    seconds, rest = divmod(microseconds, 1_000_000)
    year, month, day, hour, minute, second, *_ = gmtime(seconds)
    return f"{year:04d}-{month:02d}-{day:02d}T{hour:02d}:{minute:02d}:{second:02d}.{rest:06d}Z"
