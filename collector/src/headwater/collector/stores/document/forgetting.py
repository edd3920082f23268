"""Takes documents away, see ``headwater.collector.stores.forgetting``."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from typing import Final

from headwater.collector.stores.document.connection import Collection as MongoCollection
from headwater.collector.stores.forgetting import DocumentRef

_PARALLEL: Final = 16
"""Look-ups at once. One each: not every server of the protocol finds several keys by the index."""


async def documents_of_runs(events: MongoCollection, runs: Collection[str]) -> list[DocumentRef]:
    places = asyncio.Semaphore(_PARALLEL)

    async def of(run: str) -> list[DocumentRef]:
        async with places:
            found = events.find({"run": run}, {"receivedAt": 1})
            return [DocumentRef(each["_id"], run, each["receivedAt"]) async for each in found]

    return [each for some in await asyncio.gather(*map(of, runs)) for each in some]


async def forget_events(events: MongoCollection, parts: MongoCollection, event_ids: Collection[str]) -> None:
    """The event before its parts: one that was broken off leaves bytes that nothing names, and no half event."""
    places = asyncio.Semaphore(_PARALLEL)

    async def forget(event_id: str) -> None:
        async with places:
            found = await events.find_one({"_id": event_id}, {"parts": 1})
            await events.delete_one({"_id": event_id})
            if found and found.get("parts"):
                await parts.delete_many({"_id": {"$in": found["parts"]}})

    await asyncio.gather(*map(forget, event_ids))
