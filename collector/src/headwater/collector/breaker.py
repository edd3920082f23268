"""A breaker: after several failures in a row, leave a store alone for a while, then try it carefully."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from headwater.shared.clock import Clock


class BreakerState(IntEnum):
    """The numbers are what the metric shows."""

    CLOSED = 0
    """Calls go through."""
    HALF_OPEN = 1
    """One call at a time goes through, as a trial."""
    OPEN = 2
    """No call goes through."""


@dataclass(frozen=True, slots=True)
class BreakerPolicy:
    """Frozen."""

    failures: int = 5
    """Failures in a row that open the breaker."""
    open_s: float = 1.0
    """How long it stays open the first time."""
    growth: float = 2.0
    """What a failed trial multiplies that with."""
    max_open_s: float = 30.0


class Breaker:
    """The state of one breaker: closed until ``failures`` in a row, then open for a while, then half-open.

    A probe that goes well closes it on probation: one more failure opens it again, for longer. A write that goes well
    clears its record. Permanent refusals are no failures: the store is there.
    """

    def __init__(self, policy: BreakerPolicy, clock: Clock) -> None:
        self._policy, self._clock = policy, clock
        self._failures = 0
        self._openings = 0
        self._open_until_s: float | None = None

    @property
    def state(self) -> BreakerState:
        if self._open_until_s is None:
            return BreakerState.CLOSED
        return BreakerState.OPEN if self.wait_s() > 0.0 else BreakerState.HALF_OPEN

    def wait_s(self) -> float:
        """Seconds until a call may go through; 0 if one may now."""
        return 0.0 if self._open_until_s is None else max(0.0, self._open_until_s - self._clock.monotonic_s())

    def succeeded(self) -> None:
        """A write went well."""
        self._failures = self._openings = 0
        self._open_until_s = None

    def probed(self) -> None:
        """A probe went well."""
        self._failures = self._policy.failures - 1
        self._open_until_s = None

    def failed(self) -> None:
        """A call failed in a way that trying again may mend."""
        self._failures += 1
        if self._open_until_s is not None or self._failures >= self._policy.failures:
            self.trip()

    def trip(self) -> None:
        """Opens at once, for longer each time in a row."""
        policy = self._policy
        open_s = min(policy.max_open_s, policy.open_s * policy.growth ** min(self._openings, 60))
        self._openings += 1
        self._open_until_s = self._clock.monotonic_s() + open_s
