"""The ``document`` store: see ``schema`` for what it keeps."""

from __future__ import annotations

from collections.abc import Awaitable, Collection, Sequence
from typing import TypeVar

from bson.errors import BSONError
from pymongo import AsyncMongoClient
from pymongo.errors import PyMongoError

from headwater.collector.settings import ConnectionSettings
from headwater.collector.stores.base import ProjectedEvent
from headwater.collector.stores.deadline import within
from headwater.collector.stores.document import connection as connecting
from headwater.collector.stores.document import forgetting
from headwater.collector.stores.document.connection import Collection as MongoCollection
from headwater.collector.stores.document.connection import Document
from headwater.collector.stores.document.errors import classified, refused_login
from headwater.collector.stores.document.reader import DocumentsReader
from headwater.collector.stores.document.schema import INDEXES, document_of
from headwater.collector.stores.document.trail import DocumentTrail
from headwater.collector.stores.document.writing import write_documents
from headwater.collector.stores.forgetting import DocumentRef
from headwater.shared import times
from headwater.shared.clock import Clock, SystemClock
from headwater.shared.errors import ConfigurationError, TransientError

T = TypeVar("T")


class DocumentLineageStore:
    """Keeps every event whole, byte for byte, for audit and for rebuilding a graph. The write contract is that of
    ``LineageStoreProtocol``: acknowledged by a majority and journaled, unless the URI says another ``w``.

    ``connection``: a server (``document_connection_name`` in the settings) or a bare URI; its further keys are the
    driver's. Its ``database``, else the URI's, else ``headwater``. ``deadline_s``: after it a call ends with
    TransientError.
    """

    reads_bodies = False
    remote = True

    def __init__(
        self,
        connection: ConnectionSettings | str | None = None,
        *,
        collection_name: str = "audit_lineage_events",
        name: str = "document",
        deadline_s: float = 25.0,
        read_only: bool = False,
        clock: Clock | None = None,
    ) -> None:
        """``read_only``: makes no indexes when opened. Raises ConfigurationError."""
        self.name = name
        self._connection = connecting.connection_of(connection)
        if not collection_name or "$" in collection_name or "\0" in collection_name:
            raise ConfigurationError("lineage.store.document.collection_name", collection_name, "not empty, without $")
        self._collection_name = collection_name
        self._deadline_s, self._read_only = deadline_s, read_only
        self._clock = clock if clock is not None else SystemClock()
        self._client: AsyncMongoClient[Document] | None = None
        self._last_seq = 0

    async def open(self) -> None:
        """Connects and makes the indexes. Idempotent."""
        if self._client is None:
            client = connecting.client_of(self._connection, self._deadline_s)
            try:
                await self._bounded(self._prepare(client))
            except BaseException:
                await client.close()
                raise
            self._client = client

    async def _prepare(self, client: AsyncMongoClient[Document]) -> None:
        events, _ = connecting.collections_of(client, self._connection, self._collection_name)
        try:
            if self._read_only:
                await events.find_one({}, {"_id": 1})
                return
            for name, keys in INDEXES.items():
                await events.create_index(keys, name=name)
        except PyMongoError as error:
            self._raise_refusal(error)
            raise

    def _raise_refusal(self, error: PyMongoError) -> None:
        if refused_login(error):
            raise ConfigurationError(connecting.KEY, self._connection.user, f"the server refuses: {error}") from error

    async def write(self, batch: Sequence[ProjectedEvent]) -> None:
        """Each event once; of several spellings of one event the lesser bytes stay."""
        if batch:
            received_at = times.now_text(self._clock)
            documents = [
                (document_of(each, received_at=received_at, seq=self._next_seq()), each.event.raw) for each in batch
            ]
            await self._bounded(write_documents(*self._collections(), documents))

    def _next_seq(self) -> int:
        self._last_seq = max(self._last_seq + 1, int(self._clock.now_s() * 1e9))
        return self._last_seq

    async def ping(self) -> None:
        """Asks the server that would take the write."""
        await self._bounded(self._ping(self._opened()))

    async def _ping(self, client: AsyncMongoClient[Document]) -> None:
        await client.admin.command("ping")

    async def inspect(self) -> str:
        """See ``Inspectable``."""
        client = connecting.client_of(self._connection, self._deadline_s)
        try:
            return await self._bounded(self._look(client))
        finally:
            await client.close()

    async def _look(self, client: AsyncMongoClient[Document]) -> str:
        events, _ = connecting.collections_of(client, self._connection, self._collection_name)
        try:
            version = (await client.server_info())["version"]
            made = self._collection_name in await events.database.list_collection_names()
        except PyMongoError as error:
            self._raise_refusal(error)
            raise
        place = f"{events.database.name}.{self._collection_name}"
        return f"MongoDB {version}, {place}, {'is made' if made else 'not there yet; whoever writes first makes it'}"

    def document_reader(self) -> DocumentsReader:
        """The read half, without the graph, see ``stores.combined``; the store must be open."""
        return DocumentsReader(*self._collections(), store=self.name)

    def trail(self) -> DocumentTrail:
        """See ``Sealable``; the store must be open."""
        return DocumentTrail(*self._collections(), self._seals(self._opened()), store=self.name)

    def _seals(self, client: AsyncMongoClient[Document]) -> MongoCollection:
        return connecting.collection_of(client, self._connection, f"{self._collection_name}_seals")

    async def documents_of_runs(self, runs: Collection[str]) -> list[DocumentRef]:
        """See ``RefersDocuments``."""
        events, _ = self._collections()
        return await self._bounded(forgetting.documents_of_runs(events, runs))

    async def forget(self, runs: Collection[str], event_ids: Collection[str]) -> None:
        """See ``Forgets``: the events; it has no facts of runs."""
        await self._bounded(forgetting.forget_events(*self._collections(), event_ids))

    async def forget_statistics(self, runs: Collection[str]) -> int:
        """See ``Forgets``: it has none."""
        return 0

    async def reset(self) -> None:
        """See ``Resettable``: drops the collections, and makes them and their indexes again."""
        client = connecting.client_of(self._connection, self._deadline_s)
        try:
            events, parts = connecting.collections_of(client, self._connection, self._collection_name)
            for collection in (events, parts, self._seals(client)):
                await self._bounded(collection.drop())
            await self._bounded(self._prepare(client))
        finally:
            await client.close()

    async def close(self) -> None:
        """Idempotent."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    def _opened(self) -> AsyncMongoClient[Document]:
        if self._client is None:
            raise TransientError(f"store {self.name} is not open")
        return self._client

    def _collections(self) -> tuple[MongoCollection, MongoCollection]:
        return connecting.collections_of(self._opened(), self._connection, self._collection_name)

    async def _bounded(self, work: Awaitable[T]) -> T:
        try:
            async with within(self._deadline_s, f"store {self.name}"):
                return await work
        except (PyMongoError, BSONError, OSError) as error:
            raise classified(error, self.name) from error
