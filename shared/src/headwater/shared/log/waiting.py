"""Consumers that wait for an append in their own process."""

from __future__ import annotations

import asyncio


class Arrivals:
    """Wakes all that wait on one event loop."""

    def __init__(self) -> None:
        self._waiting: set[asyncio.Future[None]] = set()

    def announce(self) -> None:
        """Something was appended. Called on the loop of those that wait."""
        for future in self._waiting:
            if not future.done():
                future.set_result(None)

    async def wait(self, timeout_s: float) -> bool:
        """Returns at the next announcement, True, or after the time, False."""
        future = asyncio.get_running_loop().create_future()
        self._waiting.add(future)
        try:
            done, _ = await asyncio.wait([future], timeout=timeout_s)
            return bool(done)
        finally:
            self._waiting.discard(future)
            future.cancel()
