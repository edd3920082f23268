"""The log in memory: for tests, ours and users', and for a pipeline whose events need not survive the process."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping, Sequence

from ..clock import Clock, SystemClock
from ..errors import LogFullError
from .base import OnRevoke, Record, StoredRecord, TopicPartition
from .topics import check_topic
from .waiting import Arrivals


class _Topic:
    def __init__(self) -> None:
        self.records: list[StoredRecord] = []
        self.first = 0
        self.bytes = 0

    @property
    def following(self) -> int:
        return self.first + len(self.records)

    def drop_before(self, offset: int) -> None:
        dropped = self.records[: max(0, offset - self.first)]
        del self.records[: len(dropped)]
        self.first += len(dropped)
        self.bytes -= sum(len(record.value) for record in dropped)

    def slice(self, offset: int, max_records: int) -> list[StoredRecord]:
        start = max(0, offset - self.first)
        return self.records[start : start + max_records]


class MemoryLog:
    """Implements Log. Keeps every record until ``max_bytes`` of values (each topic's) are reached; then those that
    every known group has committed go, and where that makes no room ``append`` raises LogFullError, as the local log
    does."""

    def __init__(self, *, max_bytes: int | None = None, clock: Clock | None = None) -> None:
        self._max_bytes, self._clock = max_bytes, clock or SystemClock()
        self._topics: dict[str, _Topic] = {}
        self._committed: dict[tuple[str, str], int] = {}
        self._readers: dict[tuple[str, str], MemoryConsumer] = {}
        self._failures: deque[BaseException] = deque()
        self._arrivals = Arrivals()

    def fail_next(self, *errors: BaseException) -> None:
        """For tests: the next appends raise these, one each, and append nothing."""
        self._failures.extend(errors)

    async def open(self) -> None:
        pass

    async def append(self, topic: str, records: Sequence[Record]) -> list[int]:
        check_topic(topic)
        if not records:
            return []
        if self._failures:
            raise self._failures.popleft()
        kept = self._topics.setdefault(topic, _Topic())
        wanted = sum(len(record.value) for record in records)
        if self._max_bytes is not None and kept.bytes + wanted > self._max_bytes:
            kept.drop_before(min((o for (name, _), o in self._committed.items() if name == topic), default=0))
            if kept.bytes + wanted > self._max_bytes:
                raise LogFullError(f"{topic} holds {kept.bytes:,} of {self._max_bytes:,} bytes")
        now_ms = int(self._clock.now_s() * 1000)
        offsets = list(range(kept.following, kept.following + len(records)))
        kept.records.extend(
            StoredRecord(topic, 0, offset, now_ms, record.value, record.key, tuple(record.headers))
            for offset, record in zip(offsets, records, strict=True)
        )
        kept.bytes += wanted
        self._arrivals.announce(topic)
        return offsets

    def consumer(self, group: str, topics: Sequence[str], *, on_revoke: OnRevoke | None = None) -> MemoryConsumer:
        return MemoryConsumer(self, group, [check_topic(topic) for topic in topics])

    async def size(self, topic: str) -> tuple[int, int]:
        kept = self._topics.get(check_topic(topic))
        return (kept.first, kept.following) if kept else (0, 0)

    async def read(self, topic: str, offset: int, *, max_records: int) -> list[StoredRecord]:
        kept = self._topics.get(check_topic(topic))
        return kept.slice(offset, max_records) if kept else []

    async def delete_before(self, topic: str, offset: int) -> int:
        """Deletes older records whoever has not read them. Returns the first offset kept."""
        kept = self._topics.get(check_topic(topic))
        if kept is None:
            return 0
        kept.drop_before(offset)
        return kept.first

    def topics(self) -> list[str]:
        """Those that exist."""
        return sorted(self._topics)

    async def close(self) -> None:
        self._readers.clear()


class MemoryConsumer:
    """Implements LogConsumer. Of several live members of a group one reads a topic, as in the local log."""

    def __init__(self, log: MemoryLog, group: str, topics: Sequence[str]) -> None:
        self._log, self._group, self._names = log, group, list(topics)
        self._next: dict[str, int] = {}
        self._turn = 0

    async def next_batch(self, *, max_records: int, max_bytes: int, timeout_s: float) -> list[StoredRecord]:
        loop = asyncio.get_running_loop()
        deadline_s = loop.time() + timeout_s
        while True:
            records = self._read(max_records, max_bytes)
            left_s = deadline_s - loop.time()
            if records or left_s <= 0:
                return records
            await self._log._arrivals.wait(self._names, left_s)

    async def commit(self, offsets: Mapping[TopicPartition, int]) -> None:
        for name in self._names:
            offset = offsets.get(TopicPartition(name, 0))
            if offset is not None:
                self._log._committed[name, self._group] = offset

    async def lag(self) -> int:
        lag = 0
        for name, kept in self._log._topics.items():
            if name in self._names:
                committed = self._log._committed.get((name, self._group), 0)
                lag += max(0, kept.following - max(kept.first, committed))
        return lag

    async def seek_to_committed(self) -> None:
        self._next.clear()

    async def close(self) -> None:
        for name in self._names:
            if self._log._readers.get((name, self._group)) is self:
                del self._log._readers[name, self._group]
                self._log._arrivals.announce(name)
        self._next.clear()

    def _read(self, max_records: int, max_bytes: int) -> list[StoredRecord]:
        records: list[StoredRecord] = []
        for step in range(len(self._names)):
            name = self._names[(self._turn + step) % len(self._names)]
            kept = self._log._topics.get(name)
            if kept is None or self._log._readers.setdefault((name, self._group), self) is not self:
                continue
            start = self._next.get(name)
            if start is None:
                start = self._log._committed.setdefault((name, self._group), kept.first)
            for record in kept.slice(start, max_records - len(records)):
                if records and len(record.value) > max_bytes:
                    break
                max_bytes -= len(record.value)
                records.append(record)
                start = record.offset + 1
            self._next[name] = start
        self._turn = (self._turn + 1) % max(1, len(self._names))
        return records
