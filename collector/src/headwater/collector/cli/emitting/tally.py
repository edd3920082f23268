"""What has been sent so far, for the count at the end."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from .reading import Bad, Place

MAX_TOLD = 1000
"""Refused events that are told one by one; all are counted."""


@dataclass(slots=True)
class Tally:
    """The counts of one ``headwater emit``."""

    read: int = 0
    sent: int = 0
    accepted: int = 0
    with_problems: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    refused: list[Bad] = field(default_factory=list)
    last: Place | None = None
    """Where the last event that is settled (durable, or refused) starts."""
    stopped: bool = False

    def refuse(self, bad: Bad) -> None:
        """Counts one refused event; the first ones are kept to be told."""
        self.reasons[bad.reason] += 1
        if len(self.refused) < MAX_TOLD:
            self.refused.append(bad)

    def as_json(self, where: str) -> dict[str, Any]:
        """Stable keys."""
        return {
            "to": where,
            "read": self.read,
            "sent": self.sent,
            "accepted": self.accepted,
            "withProblems": self.with_problems,
            "refused": sum(self.reasons.values()),
            "refusedByReason": dict(sorted(self.reasons.items())),
            "refusals": [
                {"file": bad.place.file, "line": bad.place.line, "reason": bad.reason, "message": bad.message}
                for bad in self.refused
            ],
            "interruptedAfter": {"file": self.last.file, "line": self.last.line}
            if self.stopped and self.last
            else None,
            "interrupted": self.stopped,
        }
