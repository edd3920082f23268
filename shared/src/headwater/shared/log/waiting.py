"""Consumers that wait for an append in their own process."""

from __future__ import annotations

import asyncio
from collections.abc import Collection


class Arrivals:
    """Wakes those that wait for a topic, on one event loop."""

    def __init__(self) -> None:
        self._waiting: dict[str, set[asyncio.Future[None]]] = {}

    def announce(self, topic: str) -> None:
        """Something was appended to it. Called on the loop of those that wait."""
        for future in self._waiting.get(topic, ()):
            if not future.done():
                future.set_result(None)

    async def wait(self, topics: Collection[str], timeout_s: float) -> None:
        """Returns at the next announcement of one of the topics, or after the time."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()
        for topic in topics:
            self._waiting.setdefault(topic, set()).add(future)
        timer = loop.call_later(timeout_s, _wake, future)
        try:
            await future
        finally:
            timer.cancel()
            for topic in topics:
                self._waiting[topic].discard(future)


def _wake(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
