"""What became of a record."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Outcome(StrEnum):
    """The words are used in metrics and answers."""

    STORED = "stored"
    """Every store has it durably: it can be read back."""
    RETRY = "retry"
    """At least one store was down; a retry topic has it and will be written from by itself."""
    DEAD_LETTER = "dead_letter"
    """It was refused for good, or the retries are used up; the dead letters have it, byte for byte."""
    PENDING = "pending"
    """Not settled within the time that was waited: it is durable in the log and will be taken up from there."""
    LOGGED = "logged"
    """Durable in the log. It is stored in a moment and reads wait for it, or collectors elsewhere store it: what
    becomes of it is not known here."""
    REFUSED = "refused"
    """The log takes it never; nobody has it."""


class Settlement(NamedTuple):
    """The outcome of one record, by its offset in the main topic."""

    offset: int
    outcome: Outcome
    reason: str = ""
    """A stable word, as in dead letters and metrics: ``InvalidEventError.reason``, ``projection_failed``,
    ``refused``, ``store_down``, ``retries_exhausted``."""
    error: str = ""
    """The message, for people."""
    failed_stores: tuple[str, ...] = ()
    """The stores that do not have it."""
