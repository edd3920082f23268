"""The store: dictionaries of documents and of merged facts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from headwater.collector.facts import Fact, Problem
from headwater.collector.stores.base import ProjectedEvent
from headwater.collector.stores.memory.merging import key_of, merge
from headwater.collector.stores.memory.reader import MemoryReader
from headwater.collector.stores.memory.view import View
from headwater.shared import times
from headwater.shared.clock import Clock, SystemClock
from headwater.shared.event import LineageEvent


class Kept(NamedTuple):
    """One stored event."""

    event: LineageEvent
    problems: tuple[Problem, ...]
    received_at: str


class MemoryLineageStore:
    """Keeps documents and merged facts in dictionaries, and answers every question by ``reader()``. Gone with the
    process, so durable only for a test. A read costs time in proportion to all that was written."""

    def __init__(self, *, name: str = "memory", clock: Clock | None = None) -> None:
        self.name = name
        self.kept: dict[str, Kept] = {}
        """Events by id, in order of arrival. Of two spellings of one event the lesser bytes stay, so order does not
        matter."""
        self.facts: dict[tuple[object, ...], Fact] = {}
        """Merged facts by key."""
        self.writes = 0
        """Calls of ``write`` that succeeded."""
        self._clock = clock if clock is not None else SystemClock()
        self._view: View | None = None

    @property
    def documents(self) -> dict[str, bytes]:
        """Original bytes by event id."""
        return {event_id: kept.event.raw for event_id, kept in self.kept.items()}

    async def open(self) -> None:
        """Nothing to do."""

    async def write(self, batch: Sequence[ProjectedEvent]) -> None:
        """Never fails."""
        received_at = times.now_text(self._clock)
        for event, projection in batch:
            known = self.kept.get(event.event_id)
            if known is None:
                self.kept[event.event_id] = Kept(event, tuple(projection.problems), received_at)
            elif event.raw < known.event.raw:
                self.kept[event.event_id] = known._replace(event=event)
            for fact in projection.facts:
                key = key_of(fact)
                present = self.facts.get(key)
                self.facts[key] = fact if present is None else merge(present, fact)
        self._view = None
        self.writes += 1

    def reader(self) -> MemoryReader:
        """The read half; it always sees what was written last."""
        return MemoryReader(self)

    def view(self) -> View:
        """All that follows from the facts as they are now."""
        if self._view is None:
            self._view = View(self.facts.values())
        return self._view

    async def ping(self) -> None:
        """Always there."""

    async def close(self) -> None:
        """Keeps what it has, so that a test may look."""
