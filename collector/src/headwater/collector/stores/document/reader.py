"""Reads of the stored events; the contract is ``headwater.collector.stores.reading.DocumentReader``."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from itertools import pairwise
from typing import Any

import pymongo
from bson.errors import BSONError
from pymongo.asynchronous.cursor import AsyncCursor
from pymongo.errors import PyMongoError

from headwater.collector.stores.deadline import within
from headwater.collector.stores.document.connection import Collection
from headwater.collector.stores.document.connection import Document as Stored
from headwater.collector.stores.document.reading import whole
from headwater.collector.stores.document.schema import name_key, namespace_key
from headwater.collector.stores.reading import Document, EventFilter
from headwater.shared.errors import TransientError
from headwater.shared.event import Name

_TRIES = 3
"""For a large event whose bytes are replaced while they are read."""
_IDS = 1000
_PART_S, _WHOLE_S = 60.0, 86_400.0
_PARALLEL = 16
"""Look-ups at once."""


class DocumentsReader:
    """The audit's side of a ``DocumentLineageStore``."""

    def __init__(self, events: Collection, parts: Collection, *, store: str) -> None:
        self._events, self._parts, self._store = events, parts, store

    async def document(self, event_id: str) -> Document | None:
        async with self._told():
            for _ in range(_TRIES):
                found = await self._events.find_one({"_id": event_id})
                if found is None:
                    return None
                try:
                    return await self._document(found)
                except LookupError:
                    continue
            raise TransientError(f"store {self._store}: the parts of event {event_id} are being replaced")

    async def list_documents(self, where: EventFilter, limit: int, offset: int) -> list[Document]:
        return await self._list(_filtered(where), limit, offset, descending=where.descending)

    async def count_documents(self, where: EventFilter) -> int:
        async with self._told():
            return await self._events.count_documents(_filtered(where))

    async def count_by_type(self, bounds: Sequence[str]) -> list[dict[str, int]]:
        async with self._told():
            return [await self._types_between(since, before) for since, before in pairwise(bounds)]

    async def _types_between(self, since: str, before: str) -> dict[str, int]:
        grouped = await self._events.aggregate(
            [
                {"$match": {"time": {"$gte": since, "$lt": before}}},
                {"$group": {"_id": "$type", "count": {"$sum": 1}}},
            ]
        )
        return {found["_id"]: found["count"] async for found in grouped if found["_id"]}

    async def of_dataset(self, dataset: Name, limit: int, offset: int = 0) -> list[Document]:
        """Events that name this dataset, newest first."""
        return await self._list({"keys": name_key(dataset)}, limit, offset, descending=True)

    async def counts(self) -> Mapping[str, int]:
        """events, eventsWithProblems."""
        async with self._told():
            return {
                "events": await self._events.estimated_document_count(),
                "eventsWithProblems": await self._events.count_documents({"faulty": True}),
            }

    async def event_ids(self) -> AsyncIterator[str]:
        """Every id once, in no order, see ``auditing.EventIds``."""
        cursor = self._events.find({}, {"_id": 1}, batch_size=_IDS)
        try:
            while some := await self._more(cursor):
                for found in some:
                    yield found["_id"]
        finally:
            await cursor.close()

    async def _more(self, cursor: AsyncCursor[Stored]) -> list[Stored]:
        """The client's time limit would hold for the whole of the collection; this one is for a part."""
        async with self._told(), within(_PART_S, f"store {self._store}"):
            with pymongo.timeout(_WHOLE_S):
                return await cursor.to_list(_IDS)

    async def known_events(self, event_ids: Iterable[str]) -> set[str]:
        """Those that are stored. One look-up each: not every server finds several ids by the index."""
        places = asyncio.Semaphore(_PARALLEL)

        async def known(event_id: str) -> bool:
            async with places:
                return await self._events.find_one({"_id": event_id}, {"_id": 1}) is not None

        asked = list(event_ids)
        async with self._told():
            found = await asyncio.gather(*map(known, asked))
        return {event_id for event_id, there in zip(asked, found, strict=True) if there}

    async def _list(self, where: dict[str, Any], limit: int, offset: int, *, descending: bool) -> list[Document]:
        if limit <= 0:
            return []
        direction = -1 if descending else 1
        async with self._told():
            cursor = self._events.find(where).sort([("time", direction), ("seq", direction)])
            found = [each async for each in cursor.skip(offset).limit(limit)]
        return [document for each in found if (document := await self._whole(each)) is not None]

    async def _whole(self, found: Stored) -> Document | None:
        try:
            async with self._told():
                return await self._document(found)
        except LookupError:
            return await self.document(found["_id"])

    async def _document(self, found: Stored) -> Document:
        problems = tuple((each["where"], each["message"]) for each in found.get("problems") or ())
        return Document(found["_id"], await whole(self._parts, found), problems, found["receivedAt"])

    @asynccontextmanager
    async def _told(self) -> AsyncIterator[None]:
        try:
            yield
        except (PyMongoError, BSONError, OSError) as error:
            raise TransientError(f"store {self._store} cannot be read: {error}") from error


def _filtered(where: EventFilter) -> dict[str, Any]:
    """Values are texts made here or compared as values: none is an operator."""
    found: dict[str, Any] = {}
    if where.run is not None:
        found["run"] = where.run
    if where.job is not None:
        found["jobKey"] = name_key(where.job)
    if where.namespace is not None:
        found["spaceKey"] = namespace_key(where.namespace)
    if where.kind is not None:
        found["kind"] = where.kind
    since = {} if where.since is None else {"$gte": where.since}
    before = {} if where.before is None else {"$lt": where.before}
    if since or before:
        found["time"] = since | before
    return found
