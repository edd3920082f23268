"""Stores that keep documents, and how somebody with the rights of a database owner would tamper with each."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from pathlib import Path
from typing import Any, NamedTuple, Protocol
from urllib.parse import urlsplit

from headwater.collector.stores.auditing import EventIds
from headwater.collector.stores.base import LineageStoreProtocol
from headwater.collector.stores.sealing import Trail
from headwater.collector.stores.sql import SqlLineageStore
from tests.support import server_stores
from tests.support.scratch import SCRATCH
from tests.support.servers import needed


class Tamper(Protocol):
    """Behind headwater's back."""

    def alter(self, event_id: str, old: bytes, new: bytes) -> None: ...

    def remove(self, event_id: str) -> None: ...

    def remove_seals(self, after: int) -> None: ...

    def alter_seal(self, number: int) -> None: ...


class Place(NamedTuple):
    """One open, empty store."""

    store: LineageStoreProtocol
    trail: Trail
    ids: EventIds
    tamper: Tamper


class SqliteTamper:
    def __init__(self, path: Path) -> None:
        self._path = path

    def _run(self, statement: str, *values: Any) -> None:
        with closing(sqlite3.connect(self._path)) as database, database:
            assert database.execute(statement, values).rowcount

    def alter(self, event_id: str, old: bytes, new: bytes) -> None:
        self._run(
            "UPDATE document SET raw = CAST(replace(raw, ?, ?) AS BLOB) WHERE event_id = ?",
            *(old.decode(), new.decode(), bytes.fromhex(event_id)),
        )

    def remove(self, event_id: str) -> None:
        self._run("DELETE FROM document WHERE event_id = ?", bytes.fromhex(event_id))

    def remove_seals(self, after: int) -> None:
        self._run("DELETE FROM audit_seal WHERE number > ?", after)

    def alter_seal(self, number: int) -> None:
        self._run("UPDATE audit_seal SET sealed_at = '2020-01-01T00:00:00.000000000' WHERE number = ?", number)


class PostgresTamper:
    def __init__(self, url: str) -> None:
        self._url = url

    def _run(self, statement: str, *values: Any) -> None:
        import psycopg

        with psycopg.connect(self._url) as connection:
            assert connection.execute(statement, values).rowcount  # type: ignore[call-overload]

    def alter(self, event_id: str, old: bytes, new: bytes) -> None:
        self._run(
            "UPDATE document SET raw = convert_to(replace(convert_from(raw, 'UTF8'), %s, %s), 'UTF8')"
            " WHERE event_id = %s",
            *(old.decode(), new.decode(), bytes.fromhex(event_id)),
        )

    def remove(self, event_id: str) -> None:
        self._run("DELETE FROM document WHERE event_id = %s", bytes.fromhex(event_id))

    def remove_seals(self, after: int) -> None:
        self._run("DELETE FROM audit_seal WHERE number > %s", after)

    def alter_seal(self, number: int) -> None:
        self._run("UPDATE audit_seal SET sealed_at = '2020-01-01T00:00:00.000000000' WHERE number = %s", number)


class MongoTamper:
    def __init__(self, url: str) -> None:
        self._url = url

    def _do(self, work: Callable[[Any], Any]) -> None:
        from pymongo import MongoClient

        with MongoClient(self._url) as client:
            work(client[server_stores.DATABASE])

    def alter(self, event_id: str, old: bytes, new: bytes) -> None:
        def work(database: Any) -> None:
            events = database["audit_lineage_events"]
            raw = events.find_one({"_id": event_id})["raw"].replace(old, new)
            events.update_one({"_id": event_id}, {"$set": {"raw": raw}})

        self._do(work)

    def remove(self, event_id: str) -> None:
        self._do(lambda database: database["audit_lineage_events"].delete_one({"_id": event_id}))

    def remove_seals(self, after: int) -> None:
        self._do(lambda database: database["audit_lineage_events_seals"].delete_many({"_id": {"$gt": after}}))

    def alter_seal(self, number: int) -> None:
        self._do(
            lambda database: database["audit_lineage_events_seals"].update_one(
                {"_id": number}, {"$set": {"sealedAt": "2020-01-01T00:00:00.000000000"}}
            )
        )


@asynccontextmanager
async def sqlite() -> AsyncIterator[Place]:
    with tempfile.TemporaryDirectory(prefix="headwater-", dir=SCRATCH) as directory:
        path = Path(directory, "headwater.db")
        store = SqlLineageStore(f"sqlite:///{path}")
        await store.open()
        try:
            yield Place(store, store.trail(), store.reader(), SqliteTamper(path))
        finally:
            await store.close()


@asynccontextmanager
async def postgres() -> AsyncIterator[Place]:
    async with server_stores.postgres_store() as store:
        url = urlsplit(needed("postgres"))._replace(path=f"/{server_stores.DATABASE}").geturl()
        yield Place(store, store.trail(), store.reader(), PostgresTamper(url))


@asynccontextmanager
async def mongo() -> AsyncIterator[Place]:
    async with server_stores.mongo_store() as store:
        yield Place(store, store.trail(), store.document_reader(), MongoTamper(needed("mongo")))


PLACES: dict[str, Callable[[], AbstractAsyncContextManager[Place]]] = {
    "sqlite": sqlite,
    "postgres": postgres,
    "mongo": mongo,
}
