"""A clock for simulated days: it starts each day at two in the morning and is set forward between the steps."""

from __future__ import annotations

import time
from datetime import UTC, date, datetime
from datetime import time as time_of_day


class Calendar:
    """Wall time of the simulated day plus the real time that has passed since it was set."""

    def __init__(self) -> None:
        self._base_s = time.time()
        self._set_at_s = time.monotonic()

    def wake(self, day: date) -> None:
        """It is two o'clock in the morning of ``day``, UTC."""
        self._set(datetime.combine(day, time_of_day(2), UTC).timestamp())

    def pass_minutes(self, minutes: float) -> None:
        """Sets the clock forward."""
        self._set(self.now_s() + minutes * 60)

    def text(self) -> str:
        """Now, as OpenLineage writes it."""
        return datetime.fromtimestamp(self.now_s(), UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")

    def now_s(self) -> float:
        """Seconds since the Unix epoch, simulated."""
        return self._base_s + self.monotonic_s() - self._set_at_s

    def monotonic_s(self) -> float:
        """Real time."""
        return time.monotonic()

    def _set(self, now_s: float) -> None:
        self._base_s, self._set_at_s = now_s, self.monotonic_s()
