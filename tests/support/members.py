"""Collectors of one Kafka consumer group, and the means to see what they commit."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from headwater.collector.pipeline import Pipeline
from headwater.collector.policy import BatchPolicy, RetryPolicy
from headwater.collector.stores import CompositeLineageStore, MemoryLineageStore, ProjectedEvent
from headwater.collector.topics import Topics
from headwater.shared.log import OnRevoke, Record, StoredRecord, TopicPartition
from headwater.shared.log.kafka import KafkaLog
from headwater.shared.log.keys import partition_key_of
from tests.servers.places import KafkaTopics
from tests.support.events import good_event
from tests.support.kafka import quick_settings


def event(number: int, **more: Any) -> bytes:
    """A good event, another for each number, of forty jobs."""
    return good_event(number, number % 40, **more)


def records(values: Sequence[bytes]) -> list[Record]:
    return [Record(value, partition_key_of(value)) for value in values]


class GatedStore(MemoryLineageStore):
    """Writes while ``gate`` is open, and knows whose bytes it has."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()
        self.gate.set()
        self.begun = 0
        self.raws: set[bytes] = set()
        self.delay_s: Callable[[], float] = lambda: 0.0

    async def write(self, batch: Sequence[ProjectedEvent]) -> None:
        self.begun += 1
        await self.gate.wait()
        await asyncio.sleep(self.delay_s())
        await super().write(batch)
        self.raws.update(item.event.raw for item in batch)


class Watched:
    """What all members of a group together have read and committed. Fails on a commit of what no store has."""

    def __init__(self, store: GatedStore) -> None:
        self.store = store
        self.read: dict[tuple[TopicPartition, int], bytes] = {}
        self.times: Counter[tuple[TopicPartition, int]] = Counter()
        """How often each was handed out."""
        self.committed: dict[TopicPartition, int] = {}
        self.faults: list[str] = []

    def check(self, offsets: Mapping[TopicPartition, int]) -> None:
        for place, offset in offsets.items():
            if offset < self.committed.get(place, 0):
                self.faults.append(f"{place} committed to {offset}, back from {self.committed[place]}")
            for number in range(self.committed.get(place, 0), offset):
                value = self.read.get((place, number))
                if value is None or value not in self.store.raws:
                    self.faults.append(f"{place} committed to {offset}, and {number} is in no store")
            self.committed[place] = max(offset, self.committed.get(place, 0))


class WatchedLog(KafkaLog):
    """A member's log, under watch."""

    def __init__(self, topics: KafkaTopics, watched: Watched, **settings: Any) -> None:
        super().__init__(quick_settings(topics.url, **settings))
        self.watched = watched
        self.revoked: list[set[TopicPartition]] = []

    def consumer(self, group: str, topics: Sequence[str], *, on_revoke: OnRevoke | None = None) -> Any:
        async def revoked(places: Any) -> None:
            self.revoked.append(set(places))
            assert on_revoke is not None
            await on_revoke(places)

        inner, watched = super().consumer(group, topics, on_revoke=revoked), self.watched
        read, commit = inner.next_batch, inner.commit

        async def next_batch(**how: Any) -> list[StoredRecord]:
            batch = await read(**how)
            found = {(TopicPartition(r.topic, r.partition), r.offset): r.value for r in batch}
            watched.read.update(found)
            watched.times.update(list(found))
            return batch

        async def checked(offsets: Mapping[TopicPartition, int]) -> None:
            watched.check(offsets)
            await commit(offsets)

        inner.next_batch, inner.commit = next_batch, checked  # type: ignore[method-assign]
        return inner


class Member:
    """One collector of the group."""

    def __init__(self, topics: KafkaTopics, watched: Watched, topic: str, **batches: Any) -> None:
        self.log = WatchedLog(topics, watched)
        self.stores = CompositeLineageStore([watched.store])
        self.pipeline = Pipeline(
            self.log,
            self.stores,
            topics=Topics(topic),
            group=f"{topic}.group",
            retry=RetryPolicy(ladder_s=()),
            batches=BatchPolicy(max_records=100, commit_every_s=0.05, poll_s=0.1, **batches),
        )

    async def start(self) -> Member:
        await self.stores.open()
        await self.pipeline.start()
        return self

    async def stop(self) -> None:
        await self.pipeline.stop()
        await self.log.close()
