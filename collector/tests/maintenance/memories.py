"""Stores in memory that hold documents, or facts alone."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Sequence
from typing import Any

from headwater.collector.facts import Fact
from headwater.collector.stores.base import ProjectedEvent
from headwater.collector.stores.composite import CompositeLineageStore
from headwater.collector.stores.memory import key_of, merge
from headwater.collector.stores.reading import Document
from headwater.shared import times
from headwater.shared.clock import ManualClock
from headwater.shared.errors import PermanentError, TransientError

Refusing = Callable[[ProjectedEvent], Exception | None]


class Reading:
    """Ids and documents of a memory store."""

    def __init__(self, store: Memory) -> None:
        self._store = store

    async def event_ids(self) -> AsyncIterator[str]:
        for event_id in list(self._store.documents):
            yield event_id
        self._store.scanned()

    async def known_events(self, event_ids: Collection[str]) -> set[str]:
        return set(event_ids) & self._store.documents.keys()

    async def document(self, event_id: str) -> Document | None:
        raw = self._store.documents.get(event_id)
        return None if raw is None else Document(event_id, raw, (), self._store.received.get(event_id, LONG_AGO))


LONG_AGO = times.parse("2020-01-01T00:00:00Z")


class Memory:
    """Bytes by event id, merged facts by key. Fails when told; says when its ids were read."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.documents: dict[str, bytes] = {}
        self.facts: dict[tuple[object, ...], Fact] = {}
        self.received: dict[str, str] = {}
        self.failing: Refusing = lambda _: None
        self.scanned: Callable[[], None] = lambda: None

    async def write(self, batch: Sequence[ProjectedEvent]) -> None:
        for each in batch:
            if (error := self.failing(each)) is not None:
                raise error
        for event, projection in batch:
            self.documents[event.event_id] = event.raw
            for fact in projection.facts:
                present = self.facts.get(key_of(fact))
                self.facts[key_of(fact)] = fact if present is None else merge(present, fact)

    async def open(self) -> None: ...

    async def ping(self) -> None: ...

    async def close(self) -> None: ...


class MemoryDocuments(Memory):
    def document_reader(self) -> Any:
        return Reading(self)


class MemoryGraph(Memory):
    def graph_reader(self) -> Any:
        return Reading(self)


def pair(clock: ManualClock | None = None) -> tuple[MemoryDocuments, MemoryGraph, CompositeLineageStore]:
    """Documents, graph, and both behind one door."""
    documents, graph = MemoryDocuments("document"), MemoryGraph("graph")
    return documents, graph, CompositeLineageStore([documents, graph], clock=clock or ManualClock())


def down(_: ProjectedEvent) -> TransientError:
    """For ``failing``: the store is down."""
    return TransientError("down")


def never(*event_ids: str) -> Refusing:
    """For ``failing``: these events are refused for good."""
    return lambda each: PermanentError("never") if each.event.event_id in event_ids else None
