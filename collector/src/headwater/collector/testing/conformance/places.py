"""Places with stores on them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import uuid4

from headwater.collector.stores.base import LineageStoreProtocol
from headwater.collector.testing.conformance.capabilities import MakeStore


class Places:
    """Gives out empty places."""

    def __init__(self, make_store: MakeStore) -> None:
        self._make_store = make_store

    def fresh(self) -> Place:
        """An empty place; whoever asks is done with the one before."""
        return Place(self._make_store, f"conformance_{uuid4().hex[:12]}")


class Place:
    """Where data are kept; any number of stores may be opened on it."""

    def __init__(self, make_store: MakeStore, name: str) -> None:
        self.make_store, self.name = make_store, name

    def store(self) -> LineageStoreProtocol:
        """One more store on it, not opened."""
        return self.make_store(self.name)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[LineageStoreProtocol]:
        """One more store on it, open."""
        store = self.store()
        await store.open()
        try:
            yield store
        finally:
            await store.close()
