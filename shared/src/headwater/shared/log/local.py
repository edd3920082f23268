"""The local log: each topic a directory of segment files, shared by all processes of one machine.

asyncio's side of ``segments``: appends of concurrent callers are gathered into one write and one fsync, in a thread.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from errno import EACCES
from typing import NamedTuple, TypeVar

from ..clock import Clock, SystemClock
from . import tail
from .base import OnRevoke, Record, StoredRecord
from .files import make_directory, wrong_directory
from .gathering import GatheredAppends
from .local_consumer import LocalConsumer
from .reading import OnDamage, SegmentReader, ignore_damage
from .segments import DEFAULT_MAX_BYTES, DEFAULT_RETENTION_S, DEFAULT_SEGMENT_BYTES, SegmentLog
from .topics import check_topic
from .waiting import Arrivals

T = TypeVar("T")

_THREADS = 4
"""Topics that may wait for the disk at the same time."""


class _Topic(NamedTuple):
    log: SegmentLog
    appends: GatheredAppends
    listing: SegmentReader
    """Keeps its place, so that listing page by page reads each record once."""


class LocalLog:
    """Implements Log on files below ``root``. ``max_bytes`` bounds each topic. For one event loop at a time.

    ``fsync=False`` gives up durability against a power cut, not against a kill. ``on_damage`` hears of every damage
    that a reader passes over.
    """

    def __init__(
        self,
        root: str | os.PathLike[str],
        *,
        max_bytes: int = DEFAULT_MAX_BYTES,
        segment_bytes: int = DEFAULT_SEGMENT_BYTES,
        retention_s: float = DEFAULT_RETENTION_S,
        fsync: bool = True,
        clock: Clock | None = None,
        on_damage: OnDamage = ignore_damage,
    ) -> None:
        self.root = os.path.abspath(os.fspath(root))
        self._on_damage = on_damage
        clock = clock or SystemClock()
        self._make: Callable[[str], SegmentLog] = lambda topic: SegmentLog(
            f"{self.root}/{check_topic(topic)}",
            max_bytes=max_bytes,
            segment_bytes=segment_bytes,
            retention_s=retention_s,
            fsync=fsync,
            clock=clock,
            on_damage=on_damage,
        )
        self._topics: dict[str, _Topic] = {}
        self._arrivals = Arrivals()
        self._consumers: set[LocalConsumer] = set()
        self._pool: ThreadPoolExecutor | None = None

    async def open(self) -> None:
        await self._in_thread(self._open)

    async def append(self, topic: str, records: Sequence[Record]) -> list[int]:
        if not records:
            return []
        offsets = await self._topic(topic).appends.append(records)
        self._arrivals.announce(topic)
        return list(offsets)

    def consumer(self, group: str, topics: Sequence[str], *, on_revoke: OnRevoke | None = None) -> LocalConsumer:
        sources = {topic: self._topic(topic).log for topic in topics}
        consumer = LocalConsumer(sources, group, self._arrivals, self._consumers.discard)
        self._consumers.add(consumer)
        return consumer

    async def size(self, topic: str) -> tuple[int, int]:
        return self._topic(topic).log.bounds()

    async def read(self, topic: str, offset: int, *, max_records: int) -> list[StoredRecord]:
        listing = self._topic(topic).listing
        listing.seek(offset)
        return listing.read(max_records)

    async def expire(self) -> int:
        """Deletes what all groups have read and is older than the retention, in all topics; how many segments.
        Appending does so too, whenever it begins a segment."""
        return sum([await self._in_thread(self._topic(topic).log.expire) for topic in self.topics()])

    async def delete_before(self, topic: str, offset: int) -> int:
        """Deletes older records whoever has not read them, by whole segments. Returns the first offset kept."""
        log = self._topic(topic).log
        return await self._in_thread(lambda: log.delete_before(offset))

    def topics(self) -> list[str]:
        """Those that exist."""
        try:
            names = os.listdir(self.root)
        except FileNotFoundError:
            return []
        return sorted(name for name in names if os.path.exists(f"{self.root}/{name}/{tail.NAME}"))

    def size_bytes(self, topic: str) -> int:
        """Of a topic's segments."""
        return self._topic(topic).log.size_bytes()

    async def close(self) -> None:
        for topic in self._topics.values():
            await topic.appends.close()
            topic.listing.close()
            topic.log.close()
        for consumer in list(self._consumers):
            consumer.close_now()
        self._topics.clear()
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None

    def _open(self) -> None:
        try:
            make_directory(self.root, durable=True)
            if not os.access(self.root, os.W_OK | os.X_OK):
                raise PermissionError(EACCES, "permission denied", self.root)
        except OSError as error:
            raise wrong_directory(error, self.root) from None
        for topic in self.topics():
            self._topic(topic).log.open()

    def _topic(self, name: str) -> _Topic:
        topic = self._topics.get(name)
        if topic is None:
            log = self._make(name)
            topic = self._topics[name] = _Topic(log, GatheredAppends(log, self._in_thread), log.reader())
        return topic

    async def _in_thread(self, work: Callable[[], T]) -> T:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(_THREADS, "headwater-log")
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)
