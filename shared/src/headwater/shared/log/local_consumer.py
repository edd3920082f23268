"""A consumer of the local log: one reader for each topic, one lock for the group."""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections.abc import Callable, Mapping

from ..errors import TransientError
from .base import StoredRecord, TopicPartition
from .reading import SegmentReader
from .segments import SegmentLog
from .waiting import Arrivals

_SHORTEST_POLL_S, _LONGEST_POLL_S = 0.02, 0.05
"""How soon an append of another process is seen; one of this process wakes at once."""


class _Source:
    """One topic as one consumer sees it."""

    def __init__(self, topic: str, log: SegmentLog, group: str) -> None:
        self.topic, self._log, self._group = topic, log, group
        self._reader: SegmentReader | None = None
        self._lock_fd = -1

    def reader(self) -> SegmentReader | None:
        """The reader, if the topic exists and no other member of the group reads it, as in Kafka."""
        if self._reader is None and os.path.isdir(self._log.directory) and self._take_lock():
            self._reader = self._log.reader(self.committed())
        return self._reader

    def committed(self) -> int:
        """The group's offset. Makes the group known, so that what it has not read is kept."""
        offset = self._log.committed(self._group)
        if offset is None:
            offset = self._log.bounds()[0]
            self._log.commit(self._group, offset)
        return offset

    def commit(self, offset: int) -> None:
        self._log.commit(self._group, offset)

    @property
    def damaged_bytes(self) -> int:
        return 0 if self._reader is None else self._reader.damaged_bytes

    def lag(self) -> int:
        first, following = self._log.bounds()
        return max(0, following - max(first, self._log.committed(self._group) or 0))

    def seek_to_committed(self) -> None:
        if self._reader is not None:
            self._reader.seek(self.committed())

    def close(self) -> None:
        if self._reader is not None:
            self._reader.close()
            self._reader = None
        if self._lock_fd >= 0:
            os.close(self._lock_fd)
            self._lock_fd = -1

    def _take_lock(self) -> bool:
        path = self._log.group_lock_path(self._group)
        try:
            fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise TransientError(f"{path}: {error.strerror}") from None
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(fd)
            return False
        self._lock_fd = fd
        return True


class LocalConsumer:
    """Implements LogConsumer. Of several live members of a group one reads a topic; the next takes over when it is
    closed or killed. Reading is done on the event loop, which costs less than handing it to a thread: ``max_bytes``
    bounds it."""

    def __init__(
        self,
        sources: Mapping[str, SegmentLog],
        group: str,
        arrivals: Arrivals,
        on_close: Callable[[LocalConsumer], None],
    ) -> None:
        self._sources = [_Source(topic, log, group) for topic, log in sources.items()]
        self._topics, self._arrivals, self._on_close = tuple(sources), arrivals, on_close
        self._turn = 0

    async def next_batch(self, *, max_records: int, max_bytes: int, timeout_s: float) -> list[StoredRecord]:
        loop = asyncio.get_running_loop()
        deadline_s = loop.time() + timeout_s
        poll_s = _SHORTEST_POLL_S
        while True:
            records = self._read(max_records, max_bytes)
            left_s = deadline_s - loop.time()
            if records or left_s <= 0:
                return records
            await self._arrivals.wait(self._topics, min(poll_s, left_s))
            poll_s = min(poll_s * 1.2, _LONGEST_POLL_S)

    async def commit(self, offsets: Mapping[TopicPartition, int]) -> None:
        for source in self._sources:
            offset = offsets.get(TopicPartition(source.topic, 0))
            if offset is not None:
                source.commit(offset)

    async def lag(self) -> int:
        return sum(source.lag() for source in self._sources)

    async def seek_to_committed(self) -> None:
        for source in self._sources:
            source.seek_to_committed()

    async def close(self) -> None:
        self.close_now()

    def close_now(self) -> None:
        """Closes the files and lets the next member of the group read. Idempotent."""
        for source in self._sources:
            source.close()
        self._on_close(self)

    def damaged_bytes(self) -> int:
        """Bytes of damage passed over so far."""
        return sum(source.damaged_bytes for source in self._sources)

    def _read(self, max_records: int, max_bytes: int) -> list[StoredRecord]:
        """From the topics in turn, so that a full one does not starve the others."""
        records: list[StoredRecord] = []
        for step in range(len(self._sources)):
            reader = self._sources[(self._turn + step) % len(self._sources)].reader()
            if reader is not None and (not records or max_bytes > 0):
                found = reader.read(max_records - len(records), max_bytes)
                max_bytes -= sum(len(record.value) for record in found)
                records += found
            if len(records) >= max_records:
                break
        self._turn = (self._turn + 1) % max(1, len(self._sources))
        return records
