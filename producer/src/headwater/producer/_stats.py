"""The accounts: every event that ``emit`` was given is delivered, spooled or dropped, and nothing is counted twice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

UNSERIALISABLE, TOO_LARGE, REFUSED, DAMAGED, LOST = "unserialisable", "too_large", "refused", "damaged", "spool_lost"
"""Reasons for a dropped event beside those of the spool: no JSON; over the collector's limit; refused by the server for
good; not readable any more; in a spool that somebody deleted."""


class Stats:
    """A snapshot. Readable as attributes and as a mapping: ``stats().emitted``, ``dict(stats())``.

    emitted = delivered + spooled + sum(dropped.values()), always.
    """

    __slots__ = (
        "adopted",
        "adopted_dropped",
        "delivered",
        "dropped",
        "emitted",
        "internal_errors",
        "last_error",
        "spooled",
    )

    def __init__(
        self,
        emitted: int = 0,
        delivered: int = 0,
        spooled: int = 0,
        dropped: dict[str, int] | None = None,
        last_error: str | None = None,
        adopted: int = 0,
        adopted_dropped: dict[str, int] | None = None,
        internal_errors: int = 0,
    ) -> None:
        self.emitted = emitted
        """Events given to ``emit`` by this process while lineage was on."""
        self.delivered = delivered
        """Of those, taken by the transport."""
        self.spooled = spooled
        """Of those, waiting on disk."""
        self.dropped: dict[str, int] = dropped or {}
        """Of those, given up, by reason."""
        self.last_error = last_error
        """The last thing that went wrong, for people."""
        self.adopted = adopted
        """Events that an earlier process had left in the spool and that this one delivered."""
        self.adopted_dropped: dict[str, int] = adopted_dropped or {}
        """Events that an earlier process had left and that were given up, by reason; ``damaged`` counts stretches."""
        self.internal_errors = internal_errors
        """Defects of headwater itself that the guard kept from the application."""

    def keys(self) -> tuple[str, ...]:
        return self.__slots__

    def __getitem__(self, key: str) -> Any:
        if key not in self.__slots__:
            raise KeyError(key)
        return getattr(self, key)

    def __iter__(self) -> Iterator[str]:
        return iter(self.__slots__)

    def __repr__(self) -> str:
        return f"<Stats {' '.join(f'{key}={self[key]!r}' for key in self.__slots__)}>"


class Accounts:
    """Counts. Every change is made under the producer's lock and is one ``+=`` on a number, which a signal handler
    that comes back here cannot split."""

    def __init__(self) -> None:
        self.accepted = 0
        self.delivered = 0
        self.given_up = 0
        """Accepted and then dropped."""
        self.dropped: defaultdict[str, int] = defaultdict(int)
        self.adopted = 0
        self.adopted_dropped: defaultdict[str, int] = defaultdict(int)
        self.last_error: str | None = None

    def settled(self, *, mine: bool, delivered: int, refused: int) -> None:
        """The sender has dealt with events of this process (``mine``) or of an earlier one."""
        if mine:
            self.delivered += delivered
        else:
            self.adopted += delivered
        if refused:
            self.give_up(REFUSED, refused, mine=mine)

    def give_up(self, reason: str, events: int, *, mine: bool = True) -> None:
        """Accepted events are dropped after all."""
        if mine:
            self.given_up += events
            self.dropped[reason] += events
        else:
            self.adopted_dropped[reason] += events

    @property
    def spooled(self) -> int:
        return self.accepted - self.delivered - self.given_up

    def snapshot(self, internal_errors: int) -> Stats:
        dropped = dict(self.dropped)
        return Stats(
            emitted=self.accepted - self.given_up + sum(dropped.values()),
            delivered=self.delivered,
            spooled=self.spooled,
            dropped=dropped,
            last_error=self.last_error,
            adopted=self.adopted,
            adopted_dropped=dict(self.adopted_dropped),
            internal_errors=internal_errors,
        )
