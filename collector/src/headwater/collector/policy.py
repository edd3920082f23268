"""How batches are cut, and how often and when a transient failure is tried again."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Frozen. First a few tries in the process, then the ladder of retry topics, then the dead letters.

    A record climbs the ladder one rung for each failed attempt and stays on the last rung until ``max_attempts``.
    An attempt is one delivery, with its in-process tries. While a store's breaker is open no attempt is spent.
    """

    tries: int = 3
    """Writes of one batch within one attempt, the first included."""
    backoff_s: float = 0.1
    """Upper bound of the pause before the second try; doubles with every try."""
    max_backoff_s: float = 2.0
    ladder_s: tuple[float, ...] = (5.0, 60.0, 600.0)
    """Delay of each retry topic."""
    max_attempts: int = 12
    """Attempts, the first delivery included, before the dead letters."""

    def pause_s(self, failures: int, random: Random) -> float:
        """How long to wait after the ``failures``-th failed try (from 1): full jitter, so that collectors that failed
        together do not come back together."""
        ceiling = min(self.max_backoff_s, self.backoff_s * 2.0 ** min(failures - 1, 30))
        return random.uniform(0.0, ceiling)

    def rung(self, attempt: int) -> int | None:
        """The retry topic (from 1) after the ``attempt``-th failed attempt (from 1); None for the dead letters."""
        if attempt >= self.max_attempts or not self.ladder_s:
            return None
        return min(attempt, len(self.ladder_s))

    def delay_s(self, rung: int) -> float:
        """How long a record waits on that rung."""
        return self.ladder_s[rung - 1]


@dataclass(frozen=True, slots=True)
class BatchPolicy:
    """Frozen. A batch is what is there and what comes within ``linger_s``, up to these bounds."""

    max_records: int = 1000
    max_bytes: int = 8 * 1024 * 1024
    commit_every_s: float = 0.2
    """Offsets are committed this often, and when there is nothing to do. A crash in between reads again what the stores
    have already, which changes nothing."""
    linger_s: float = 0.1
    """How long a small batch waits for more while nobody waits for what it holds; 0: not at all."""
    poll_s: float = 0.5
    """How long one look for new records lasts."""
    revoke_wait_s: float = 10.0
    """How long work in hand may hold up a rebalance of the consumer group."""
    prepare_ahead: bool | None = None
    """With a backlog, decode and project the next batch (never more than one) while the stores write the present one.
    None: where a store is ``remote``, a server that is waited for. With SQLite in this process it gains nothing: its
    thread has to win the interpreter back from the decoder."""
