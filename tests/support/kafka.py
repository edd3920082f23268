"""Logs on the broker of the test run, each with topics and groups of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from headwater.shared.errors import ConfigurationError
from headwater.shared.log import OnRevoke, Record, StoredRecord, TopicPartition
from headwater.shared.log.kafka import KafkaLog, KafkaSettings, kafka_settings
from headwater.shared.log.topics import check_topic
from tests.servers.places import KafkaTopics


def quick_settings(url: str, **more: Any) -> KafkaSettings:
    """Short times: what a test waits for."""
    table = {
        "create_topics": True,
        "partitions": 1,
        "metadata_max_age_s": 1.0,
        "session_timeout_s": 6.0,
        "request_timeout_s": 10.0,
        "append_timeout_s": 20.0,
    }
    return kafka_settings((url,), table | more, {})


class ApartLog:
    """A KafkaLog whose topics have a prefix on the broker that the test does not see. Implements Log."""

    def __init__(self, topics: KafkaTopics, **settings: Any) -> None:
        self.prefix = f"headwater.{uuid4().hex[:12]}."
        self._topics = topics
        self._log = KafkaLog(quick_settings(topics.url, **settings))

    async def open(self) -> None:
        await self._log.open()

    async def append(self, topic: str, records: Sequence[Record]) -> list[int]:
        return await self._log.append(self._there(topic), records)

    def consumer(self, group: str, topics: Sequence[str], *, on_revoke: OnRevoke | None = None) -> ApartConsumer:
        return ApartConsumer(self, group, topics, on_revoke)

    async def size(self, topic: str) -> tuple[int, int]:
        return await self._log.size(self._there(topic))

    async def read(self, topic: str, offset: int, *, max_records: int) -> list[StoredRecord]:
        return self._here(await self._log.read(self._there(topic), offset, max_records=max_records))

    async def delete_before(self, topic: str, offset: int) -> int:
        return await self._log.delete_before(self._there(topic), offset)

    async def close(self) -> None:
        await self._log.close()

    def _there(self, topic: str) -> str:
        try:
            check_topic(topic)
        except ConfigurationError:
            return topic  # the log's to refuse
        name = self.prefix + topic
        if name not in self._topics.made:
            self._topics.belongs(name)
        return name

    def _here(self, records: list[StoredRecord]) -> list[StoredRecord]:
        return [record._replace(topic=record.topic.removeprefix(self.prefix)) for record in records]


class ApartConsumer:
    """Of an ApartLog."""

    patience_s, look_s = 30.0, 0.5

    def __init__(self, log: ApartLog, group: str, topics: Sequence[str], on_revoke: OnRevoke | None) -> None:
        self._log = log
        self._inner = log._log.consumer(log.prefix + group, [log._there(t) for t in topics], on_revoke=on_revoke)

    async def next_batch(self, **how: Any) -> list[StoredRecord]:
        return self._log._here(await self._inner.next_batch(**how))

    async def commit(self, offsets: Mapping[TopicPartition, int]) -> None:
        there = {TopicPartition(self._log.prefix + place.topic, place.partition): o for place, o in offsets.items()}
        await self._inner.commit(there)

    async def lag(self) -> int:
        return await self._inner.lag()

    async def seek_to_committed(self) -> None:
        await self._inner.seek_to_committed()

    async def close(self) -> None:
        await self._inner.close()
