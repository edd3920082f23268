"""A question as one step: asked in one view of the store and, where the store uses threads, in one of them.

Going to a thread and back costs 50 to 100 µs, more than most fetches do.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from headwater.collector.stores.reading import Ask, AsksWhole, Reader

T = TypeVar("T")


async def whole(reader: Reader, ask: Ask[T]) -> T:
    """What ``ask`` returns, given a reader for its fetches. It awaits nothing else, and may be called again after a
    transaction that failed. Stores that are no ``AsksWhole`` are asked fetch by fetch."""
    if isinstance(reader, AsksWhole):
        return await reader.whole(ask)
    return await ask(reader)


async def together(*asked: Coroutine[Any, Any, Any]) -> list[Any]:
    """What each returns: all at once where an event loop runs, else, within ``whole``, one after the other."""
    if _has_loop():
        return list(await asyncio.gather(*asked))
    return [await each for each in asked]


def _has_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
