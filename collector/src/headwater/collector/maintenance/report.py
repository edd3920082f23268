"""What came of comparing stores."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

MAX_EXAMPLES: Final = 20
"""Events named of each kind of trouble; all are counted."""


class Trouble(NamedTuple):
    """An event that could not be put right."""

    event_id: str
    store: str | None
    """The store that it is about; None: all that lack it."""
    reason: str

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {"eventId": self.event_id, "store": self.store, "reason": self.reason}


@dataclass(slots=True)
class Report:
    """Grows while the work goes on, so that one that was interrupted can say how far it came."""

    dry_run: bool = False
    held: dict[str, int] = field(default_factory=dict)
    """Events that each compared store held when it was read."""
    lacked: Counter[str] = field(default_factory=Counter)
    """By store: events that it lacks and another store has whole."""
    repaired: Counter[str] = field(default_factory=Counter)
    """Of these, now written, durable."""
    without_document: int = 0
    """Events in a graph that no store has whole: they cannot be repaired from here."""
    unreadable: int = 0
    """Stored events that this version of headwater cannot decode or project."""
    refused: Counter[str] = field(default_factory=Counter)
    """By store: events that it will never take."""
    examples: dict[str, list[Trouble]] = field(default_factory=dict)
    """By kind of trouble, at most ``MAX_EXAMPLES`` each."""
    not_compared: list[str] = field(default_factory=list)
    """Stores that cannot be read."""
    complete: bool = False
    """False: it was interrupted, or a store failed."""

    def note(self, kind: str, trouble: Trouble) -> None:
        """Remembers an example."""
        known = self.examples.setdefault(kind, [])
        if len(known) < MAX_EXAMPLES:
            known.append(trouble)

    @property
    def differences(self) -> int:
        """Found, repaired or not; an event that two stores lack counts twice."""
        return self.lacked.total() + self.without_document

    @property
    def agree(self) -> bool:
        """Whether the stores hold the same events now."""
        repaired = self.lacked == self.repaired
        return self.complete and repaired and not self.without_document and not self.unreadable

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready, with stable keys."""
        return {
            "agree": self.agree,
            "complete": self.complete,
            "dryRun": self.dry_run,
            "stores": {
                name: {
                    "held": held,
                    "lacked": self.lacked[name],
                    "repaired": self.repaired[name],
                    "refused": self.refused[name],
                }
                for name, held in self.held.items()
            },
            "differences": self.differences,
            "withoutDocument": self.without_document,
            "unreadable": self.unreadable,
            "notCompared": self.not_compared,
            "examples": {kind: [each.as_dict() for each in some] for kind, some in sorted(self.examples.items())},
        }
