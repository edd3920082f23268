"""Writes documents once each, whoever else writes them too."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any

from pymongo.errors import BulkWriteError

from headwater.collector.stores.document.connection import Collection, Document
from headwater.collector.stores.document.errors import duplicates
from headwater.collector.stores.document.reading import whole
from headwater.collector.stores.document.schema import PART_BYTES, body_of, parts_of
from headwater.shared.errors import TransientError

_PARALLEL = 16
_SWAPS = 20
"""For one event: each other writer makes one in vain at most."""
_CALL_BYTES = 24 * 1024 * 1024
"""Of one insert: the protocol's limit is 48,000,000."""


async def write_documents(events: Collection, parts: Collection, batch: Sequence[tuple[Document, bytes]]) -> None:
    """Inserts what is new; where an event was there with other bytes, the lesser ones stay."""
    lesser: dict[str, tuple[Document, bytes]] = {}
    for document, raw in batch:
        known = lesser.get(document["_id"])
        if known is None:
            lesser[document["_id"]] = (document, raw)
        elif raw < known[1]:
            lesser[document["_id"]] = (known[0], raw)
    for calls in _calls(list(lesser.values())):
        await _write(events, parts, calls)


def _calls(batch: list[tuple[Document, bytes]]) -> Iterator[list[tuple[Document, bytes]]]:
    some: list[tuple[Document, bytes]] = []
    size = 0
    for document, raw in batch:
        length = min(len(raw), PART_BYTES) + 2048
        if some and size + length > _CALL_BYTES:
            yield some
            some, size = [], 0
        some.append((document, raw))
        size += length
    if some:
        yield some


async def _write(events: Collection, parts: Collection, batch: list[tuple[Document, bytes]]) -> None:
    for _, raw in batch:
        for part in parts_of(raw):
            await parts.replace_one({"_id": part["_id"]}, part, upsert=True)
    known: list[int] = []
    try:
        await events.insert_many([_with_bytes(*each) for each in batch], ordered=False)
    except BulkWriteError as error:
        known = duplicates(error)
    # Not while the error is handled: it holds all documents, and would show in every later traceback.
    await _settle(events, parts, {batch[at][0]["_id"]: batch[at][1] for at in known})


def _with_bytes(document: Document, raw: bytes) -> Document:
    return {**document, **body_of(raw, parts_of(raw))}


async def _settle(events: Collection, parts: Collection, again: dict[str, bytes]) -> None:
    """These events were there before: mostly with the same bytes."""
    places = asyncio.Semaphore(_PARALLEL)

    async def settle(event_id: str, raw: bytes) -> None:
        async with places:
            # One look-up each: not every server of the protocol finds several ids by the index.
            known = await events.find_one({"_id": event_id}, {"digest": 1})
            body = body_of(raw, parts_of(raw))
            if known is None or known["digest"] != body["digest"]:
                await _replace_if_less(events, parts, event_id, raw, body)

    for result in await asyncio.gather(*(settle(*each) for each in again.items()), return_exceptions=True):
        if result is not None:
            raise result


async def _replace_if_less(
    events: Collection, parts: Collection, event_id: str, raw: bytes, body: dict[str, Any]
) -> None:
    """Compares and swaps by digest, until what is stored is no greater. What others put there is only ever less."""
    for _ in range(_SWAPS):
        stored = await events.find_one({"_id": event_id})
        if stored is None:
            raise TransientError(f"event {event_id} was deleted while it was written")
        if stored["digest"] == body["digest"]:
            return
        if await whole(parts, stored) < raw:
            await parts.delete_many({"_id": {"$in": body.get("parts", [])}})
            return
        gone = {key: "" for key in ("raw", "parts") if key not in body}
        swapped = await events.update_one(
            {"_id": event_id, "digest": stored["digest"]}, {"$set": body, **({"$unset": gone} if gone else {})}
        )
        if swapped.matched_count:
            await parts.delete_many({"_id": {"$in": stored.get("parts", [])}})
    raise TransientError(f"event {event_id} does not come to rest")
