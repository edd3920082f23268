"""Callers that wait for their events to be stored come in step; a batch that takes them all costs little more than one
that takes half of them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from headwater.shared.log import StoredRecord

_STEP_S = 0.001
_MAX_STEPS = 2
"""No caller waits longer than this for the others."""
_MAX_CALLERS = 256
"""More than this fill a batch anyway."""


class Callers:
    """Waits a moment for as many records as the last batch had, while somebody waits for them; a lone caller, and a
    consumer that nobody waits for, never waits."""

    def __init__(self, waiting: Callable[[], int]) -> None:
        self._waiting = waiting
        self._usual = 1

    async def gather(self, batch: list[StoredRecord], more: Callable[[], Awaitable[list[StoredRecord]]]) -> None:
        """Adds what arrives in that moment to the batch."""
        usual = self._usual
        for _ in range(_MAX_STEPS):
            if len(batch) >= usual or not self._waiting():
                break
            await asyncio.sleep(_STEP_S)
            batch += await more()
        self._usual = min(max(len(batch), usual // 2), _MAX_CALLERS)
