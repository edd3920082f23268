"""A moment's wait for more records: a batch of a hundred costs a store little more than one of ten."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from headwater.collector.pipeline.settlements import Settlements
from headwater.shared.log import StoredRecord

ENOUGH = 256
"""Records that are worth a batch of their own."""


class Linger:
    """Lets a small batch grow, but only while nobody waits for what it holds: somebody who does is never held up."""

    def __init__(self, settlements: Settlements | None, linger_s: float) -> None:
        """``settlements`` None: of a lane that nobody waits for and that fills its batches anyway; it never lingers."""
        self._settlements = settlements if linger_s > 0 else None
        self._linger_s = linger_s

    async def gather(self, batch: list[StoredRecord], more: Callable[[], Awaitable[list[StoredRecord]]]) -> None:
        """Adds what arrives in that moment to the batch."""
        if self._settlements is None or len(batch) >= ENOUGH or self._settlements.awaited.is_set():
            return
        try:
            async with asyncio.timeout(self._linger_s):
                await self._settlements.awaited.wait()
        except TimeoutError:
            pass
        batch += await more()
