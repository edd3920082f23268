"""Reading by offset, outside any group."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from ..base import StoredRecord
from .errors import translated
from .quiet import quiet_aiokafka
from .records import stored
from .settings import KafkaSettings, client_options

T = TypeVar("T")

_FETCH_BYTES = 8 * 1024 * 1024
_LOOK_MS = 200


class Listing:
    """One consumer without a group. Connects when first asked; after an error it connects anew. Keeps its place, so
    that listing page by page reads each record once. Raises TransientError."""

    def __init__(self, settings: KafkaSettings) -> None:
        self._settings = settings
        self._consumer: Any = None
        self._place: Any = None
        self._next = -1
        self._lock = asyncio.Lock()

    async def bounds(self, topic: str, partitions: int) -> list[tuple[int, int]]:
        """(first offset kept, next offset to be written) of each partition."""
        from aiokafka import TopicPartition

        places = [TopicPartition(topic, number) for number in range(partitions)]

        async def ask(consumer: Any) -> list[tuple[int, int]]:
            first = await consumer.beginning_offsets(places)
            following = await consumer.end_offsets(places)
            return [(first[place], following[place]) for place in places]

        return await self._ask(topic, ask)

    async def read(self, topic: str, partition: int, offset: int, max_records: int) -> list[StoredRecord]:
        """As ``Log.read``, of a topic that exists."""
        from aiokafka import TopicPartition

        place = TopicPartition(topic, partition)

        async def ask(consumer: Any) -> list[StoredRecord]:
            first = (await consumer.beginning_offsets([place]))[place]
            following = (await consumer.end_offsets([place]))[place]
            at = max(offset, first)
            if at >= following:
                return []
            if self._place != place:
                consumer.assign([place])
                self._place, self._next = place, -1
            else:
                consumer.resume(place)
            if self._next != at:
                consumer.seek(place, at)
            found: list[StoredRecord] = []
            while len(found) < max_records and await consumer.position(place) < following:
                batches = await consumer.getmany(timeout_ms=_LOOK_MS, max_records=max_records - len(found))
                found += [stored(message) for batch in batches.values() for message in batch]
                if found and not batches:
                    break
            self._next = await consumer.position(place)
            consumer.pause(place)  # or every question waits behind a fetch that waits for news
            return found

        return await self._ask(topic, ask)

    async def close(self) -> None:
        consumer, self._consumer, self._place = self._consumer, None, None
        if consumer is not None:
            await consumer.stop()

    async def _ask(self, topic: str, question: Callable[[Any], Awaitable[T]]) -> T:
        async with self._lock:
            try:
                async with asyncio.timeout(self._settings.request_timeout_s):
                    return await question(await self._connected())
            except Exception as error:
                await self.close()
                raise translated(error, f"{','.join(self._settings.servers)}: reading {topic}") from error
            except BaseException:
                await self.close()
                raise

    async def _connected(self) -> Any:
        if self._consumer is None:
            from aiokafka import AIOKafkaConsumer

            quiet_aiokafka()
            consumer = AIOKafkaConsumer(
                **client_options(self._settings),
                enable_auto_commit=False,
                auto_offset_reset="earliest",
                fetch_max_bytes=_FETCH_BYTES,
                fetch_max_wait_ms=_LOOK_MS,
            )
            try:
                await consumer.start()
            except BaseException:
                await consumer.stop()
                raise
            self._consumer = consumer
        return self._consumer
