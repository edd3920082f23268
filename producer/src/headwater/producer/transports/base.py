"""What every transport promises the sender."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, Protocol


class Outcome(NamedTuple):
    """What became of a batch. Every event that is in neither list was taken."""

    refused: Mapping[int, str] = MappingProxyType({})
    """Index to reason of each event that will never be taken."""
    retry: tuple[int, ...] = ()
    """Indexes of the events to be sent again."""
    error: str | None = None
    """Why there is something to be sent again."""
    retry_after_s: float | None = None
    """How long the other side wishes to be left alone."""


DELIVERED = Outcome()


class Transport(Protocol):
    """Sends batches of events. Used by one thread at a time: the sender's."""

    def send(self, batch: Sequence[bytes]) -> Outcome:
        """Sends the events in order and returns when the other side has them, durable if it can say so. Sending an
        event twice MUST be harmless. MUST return within a bounded time.

        Raises TransientError if nothing is known to be taken (the batch will be sent again), PermanentError if the
        batch as a whole was refused (the sender then halves it until the culprit stands alone). After a TransientError
        the same batch, or what the Outcome left of it, is sent again before any other.
        """
        ...

    def close(self) -> None:
        """Lets go of connections and files. Idempotent; sending again opens them again."""
        ...

    def forked(self) -> None:
        """Called in a forked child instead of ``close``: drops what was inherited from the parent without using it."""
        ...
