"""Which events a store holds: for comparing stores with each other. The readers of a store may offer it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection
from typing import Protocol, runtime_checkable


@runtime_checkable
class EventIds(Protocol):
    """An event counts as held when all that the store makes of it is durable. Raises TransientError when the engine
    cannot be reached."""

    def event_ids(self) -> AsyncIterator[str]:
        """Every id once, in any order, with bounded memory. Events that are written meanwhile may be among them."""
        ...

    async def known_events(self, event_ids: Collection[str]) -> set[str]:
        """Those that the store holds now."""
        ...
