"""Tells a member that gets nothing although records wait from one that has nothing to get.

A client library that has lost its place in the group, holds no partition of a topic that has some, or waits for an
answer that will never come says nothing of it: to its caller it looks like a topic without news.
"""

from __future__ import annotations

_ABSENT_S = 30.0


class Watch:
    """Of one member. Times are those of one monotonic clock, in seconds."""

    def __init__(self) -> None:
        self._waiting = 0
        self._since_s: float | None = None
        """Since when records are known to wait while nothing came."""
        self._seen_s = 0.0
        self._asked_s: float | None = None
        self._progress: int | None = None

    def got(self) -> None:
        """Records were handed out."""
        self._since_s, self._asked_s = None, None

    def asked(self, now_s: float) -> None:
        """The caller asked and there was nothing. One that was away for long did not ask meanwhile: what waited then
        is no sign."""
        if self._asked_s is not None and now_s - self._asked_s > _ABSENT_S:
            self._since_s = None
        self._asked_s = now_s

    def seen(self, waiting: int, now_s: float, *, progress: int = 0) -> None:
        """A look at the brokers: so many records wait that this member should get. ``progress`` is any number that
        changes while the group as a whole moves on."""
        if waiting <= 0 or progress != self._progress:
            self._since_s = None
        if waiting > 0 and self._since_s is None:
            self._since_s = now_s
        self._waiting, self._seen_s, self._progress = waiting, now_s, progress

    def stalled(self, patience_s: float) -> int:
        """How many records wait and have for so long; 0 while there is no reason for concern."""
        if self._since_s is None or self._asked_s is None or self._seen_s - self._since_s < patience_s:
            return 0
        return self._waiting
