"""How long the sender waits after a failure: exponentially longer, with full jitter against a stampede."""

from __future__ import annotations

import os
from typing import NamedTuple


class BackoffPolicy(NamedTuple):
    """The wait after the n-th failure in a row is random between 0 and ``base_s * 2**n``, at most ``max_s``."""

    base_s: float = 0.25
    max_s: float = 30.0

    def delay_s(self, failures: int, wish_s: float | None = None, *, fraction: float | None = None) -> float:
        """``wish_s`` is the other side's Retry-After: never sooner. ``fraction`` replaces the random number."""
        share = int.from_bytes(os.urandom(4), "big") / 2**32 if fraction is None else fraction
        own_s = share * min(self.max_s, self.base_s * 2.0 ** min(failures, 30))
        return own_s if wish_s is None else wish_s + min(own_s, self.base_s)


DEFAULT_BACKOFF = BackoffPolicy()
