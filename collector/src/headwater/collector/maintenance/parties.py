"""The stores that can be compared, by what they hold."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from headwater.collector.stores.auditing import EventIds
from headwater.collector.stores.base import LineageStoreProtocol
from headwater.collector.stores.combined import Readable, ReadableDocuments, ReadableGraph
from headwater.collector.stores.reading import DocumentReader


class Party(NamedTuple):
    """One open store."""

    name: str
    ids: EventIds
    documents: DocumentReader | None
    """None: it keeps facts, and no event whole."""


def parties_of(stores: Iterable[LineageStoreProtocol]) -> tuple[list[Party], list[str]]:
    """Those that can be compared, and the names of the others (write-only ones). Raises TransientError if a store is
    not open."""
    parties: list[Party] = []
    others: list[str] = []
    for store in stores:
        party = party_of(store)
        if party is None:
            others.append(store.name)
        else:
            parties.append(party)
    return parties, others


def party_of(store: LineageStoreProtocol) -> Party | None:
    """The open store, if it can be compared."""
    documents: DocumentReader | None = None
    ids: object = None
    if isinstance(store, Readable):
        ids = documents = store.reader()
    elif isinstance(store, ReadableDocuments):
        ids = documents = store.document_reader()
    elif isinstance(store, ReadableGraph):
        ids = store.graph_reader()
    return Party(store.name, ids, documents) if isinstance(ids, EventIds) else None
