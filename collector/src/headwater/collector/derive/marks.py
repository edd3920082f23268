"""Rules 14 and 15: what holds of a generation, out of all that was said of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from headwater.collector.facts import Mark, MarkKind


class Standing(NamedTuple):
    """All words on one generation, oldest first. The last one of a kind holds, at equal times the greater event id."""

    said: tuple[Mark, ...] = ()

    def last(self, kind: MarkKind, at: str | None = None) -> Mark | None:
        """The last word of a kind that was said not after ``at`` (canonical; None: ever)."""
        of_kind = (mark for mark in reversed(self.said) if mark.kind == kind)
        return next((mark for mark in of_kind if at is None or mark.time <= at), None)

    def holds(self, kind: MarkKind, at: str | None = None) -> Mark | None:
        """That word, if it stands."""
        mark = self.last(kind, at)
        return mark if mark and mark.stands else None

    def ever(self, kind: MarkKind) -> bool:
        """Whether it ever stood."""
        return any(mark.stands for mark in self.said if mark.kind == kind)


def standing_of(marks: Iterable[Mark]) -> Standing:
    return Standing(tuple(sorted(marks, key=lambda mark: (mark.time, mark.event_id, mark.dataset))))
