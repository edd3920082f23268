"""Rules 1 to 12 and 14 to 17 of docs/semantics.md over a plain list of events: no store, no index, nothing kept.

Written from the rules alone and meant to be read beside them; it shares no code with the product. It knows well-formed
events with times in one form (``2026-01-01T00:00:00Z``), which compare as text.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from .rules.attempts import Attempts
from .rules.events import Event
from .rules.walks import Walks

_KEPT = (
    "run_events", "runs", "mentions", "raw_names", "state", "symlinks", "renames", "group", "canonical", "names_of",
    "datasets", "words", "outputs", "written", "commits", "committed", "pins", "edges", "made_from",
)  # fmt: skip


class Model(Walks, Attempts):
    """All answers that one set of events allows; ``at``: as they were at that time (rule 17)."""

    def __init__(self, events: Iterable[tuple[str, Event]], at: str | None = None) -> None:
        super().__init__(events, at)
        # Nothing changes after this, so what was worked out once may be kept.
        for answer in _KEPT:
            setattr(self, answer, cache(getattr(self, answer)))

    def past(self, at: str) -> Model:
        """The same events, asked about a time."""
        return Model(self.events, at)
