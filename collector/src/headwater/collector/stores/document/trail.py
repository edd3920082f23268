"""Seals in the collection ``<collection>_seals``; the contract is ``headwater.collector.stores.sealing.Trail``.

_id     the seal's number
kind, previous, sealedAt, through, present, reason, entries, hash   as in ``Seal``
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from typing import Any, Final

from bson import Binary, Int64
from bson.errors import BSONError
from pymongo.errors import DuplicateKeyError, PyMongoError

from headwater.collector.stores.document.connection import Collection as MongoCollection
from headwater.collector.stores.document.connection import Document
from headwater.collector.stores.document.errors import classified
from headwater.collector.stores.document.reading import whole
from headwater.collector.stores.sealing import Kept, Seal, content_hash
from headwater.shared.errors import TransientError

_PARALLEL: Final = 16
_TRIES: Final = 3
"""For a large event whose bytes are replaced while they are read."""
_ARRIVAL: Final = {"headwater_arrival": [("seq", 1)]}


class DocumentTrail:
    """Of a ``DocumentLineageStore``."""

    def __init__(self, events: MongoCollection, parts: MongoCollection, seals: MongoCollection, *, store: str) -> None:
        self._events, self._parts, self._seals, self._store = events, parts, seals, store

    async def prepare(self) -> None:
        """An index for the order of arrival."""
        async with self._told():
            for name, keys in _ARRIVAL.items():
                await self._events.create_index(keys, name=name)

    async def head(self) -> Seal | None:
        async with self._told():
            found = await self._seals.find({}).sort("_id", -1).limit(1).to_list(1)
        return _as_seal(found[0]) if found else None

    async def seals(self, after: int, limit: int) -> list[Seal]:
        async with self._told():
            found = await self._seals.find({"_id": {"$gt": after}}).sort("_id", 1).limit(limit).to_list(limit)
        return [_as_seal(each) for each in found]

    async def append(self, seal: Seal) -> bool:
        document = {
            "_id": Int64(seal.number),
            "kind": seal.kind,
            "previous": Binary(seal.previous),
            "sealedAt": seal.sealed_at,
            "through": Int64(seal.through),
            "present": Int64(seal.present),
            "reason": seal.reason,
            "entries": Binary(seal.entries),
            "hash": Binary(seal.hash),
        }
        async with self._told():
            try:
                await self._seals.insert_one(document)
            except DuplicateKeyError:
                return False
        return True

    async def arrived(self, after: int, limit: int) -> list[Kept]:
        async with self._told():
            cursor = self._events.find({"seq": {"$gt": after}}, _FIELDS).sort("seq", 1).limit(limit)
            async with cursor:
                return [await self._as_kept(each) async for each in cursor]

    async def kept(self, event_ids: Collection[str]) -> list[Kept]:
        """One look-up each: not every server of the protocol finds several ids by the index."""
        places = asyncio.Semaphore(_PARALLEL)

        async def one(event_id: str) -> Kept | None:
            async with places:
                found = await self._events.find_one({"_id": event_id}, _FIELDS)
                return None if found is None else await self._as_kept(found)

        async with self._told():
            found = await asyncio.gather(*map(one, event_ids))
        return [each for each in found if each is not None]

    async def count_through(self, place: int) -> int:
        async with self._told():
            return await self._events.count_documents({"seq": {"$lte": place}})

    async def _as_kept(self, found: Document) -> Kept:
        """Whatever somebody made of the document: what is no event's has another hash."""
        raw = b""
        for _ in range(_TRIES):
            try:
                raw = await whole(self._parts, found)
                break
            except TypeError:
                break
            except LookupError:
                again = await self._events.find_one({"_id": found["_id"]}, _FIELDS)
                if again is None or again == found:
                    break
                found = again
        place, received_at = found.get("seq"), str(found.get("receivedAt"))
        content = content_hash(raw, received_at)
        return Kept(place if isinstance(place, int) else 0, str(found["_id"]), content, received_at)

    @asynccontextmanager
    async def _told(self) -> AsyncIterator[None]:
        try:
            yield
        except TimeoutError as error:
            raise TransientError(f"store {self._store} did not answer in time") from error
        except (PyMongoError, BSONError, OSError) as error:
            raise classified(error, self._store) from error


_FIELDS: Final = {"seq": 1, "receivedAt": 1, "raw": 1, "parts": 1}


def _as_seal(found: dict[str, Any]) -> Seal:
    return Seal(
        int(found["_id"]),
        found["kind"],
        bytes(found["previous"]),
        found["sealedAt"],
        int(found["through"]),
        int(found["present"]),
        found["reason"],
        bytes(found["entries"]),
        bytes(found["hash"]),
    )
