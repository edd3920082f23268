"""What a rebuild or a reset would throw away, in numbers, before anything is thrown away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from headwater.collector.maintenance.rebuilding import graph_reader_of
from headwater.collector.stores.base import LineageStoreProtocol
from headwater.collector.stores.combined import Readable, ReadableDocuments
from headwater.shared.errors import ConfigurationError

_DOCUMENTS = ("events", "eventsWithProblems")


class Holdings(NamedTuple):
    """Of one store."""

    name: str
    events: int | None
    """Whole events; None: it keeps none."""
    facts: Mapping[str, int] | None
    """runs, jobs, datasets, generations; None: it keeps none, or they cannot be counted."""
    unreadable: str = ""
    """Why it cannot be counted: tables or a graph of another version."""


async def holdings_of(stores: Sequence[LineageStoreProtocol]) -> list[Holdings]:
    """Opens the stores. Raises TransientError if one is down."""
    return [await _holdings(store) for store in stores]


async def _holdings(store: LineageStoreProtocol) -> Holdings:
    try:
        await store.open()
    except ConfigurationError as error:
        return Holdings(store.name, None, None, error.remedy)
    events: int | None = None
    if isinstance(store, Readable):
        events = (await store.reader().counts())["events"]
    elif isinstance(store, ReadableDocuments):
        events = (await store.document_reader().counts())["events"]
    graph = graph_reader_of(store)
    counts = {} if graph is None else await graph.counts()
    facts = {name: count for name, count in counts.items() if name not in _DOCUMENTS}
    return Holdings(store.name, events, facts or None)
