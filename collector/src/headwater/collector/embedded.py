"""The whole collector in one process and one directory: the local log, SQLite, the pipeline between them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from headwater.collector.audit.policy import seal_now_and_then
from headwater.collector.configured_pipeline import configured_pipeline
from headwater.collector.deadletters import DeadLetters
from headwater.collector.dirlock import DirectoryLock
from headwater.collector.logurl import open_local_log
from headwater.collector.manager import LineageManager
from headwater.collector.metrics import PipelineMetrics
from headwater.collector.pipeline import Outcome, Pipeline, Settlement
from headwater.collector.questions import Questions
from headwater.collector.settings import Settings
from headwater.collector.staleness import judge_stale_runs
from headwater.collector.stores.rebuilding import trouble_of
from headwater.collector.stores.registry import chosen_stores
from headwater.collector.topics import Topics
from headwater.shared.clock import Clock, SystemClock
from headwater.shared.event import LineageEvent
from headwater.shared.log import Log, Record

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

    from headwater.collector.api.services import Readiness

T = TypeVar("T")

LOG_DIRECTORY: Final = "log"
"""Beneath the directory; producers on this machine write to it too (``file:///.../log``)."""
DATABASE_FILE: Final = "headwater.db"
_PATIENCE_S = 15.0
"""What a caller waits for the stores to have its events."""
_READER_PATIENCE_S = 5.0
"""What a reader waits for events that others sent before."""


class Embedded:
    """``directory/log`` and ``directory/headwater.db``. The log is always this one, whatever ``lineage.url`` says; the
    stores are the configured ones (default: ``sql``), of which one must be readable.

    ``start`` goes on where the last process stopped or was killed; only one collector works on a directory at a time,
    while any number of processes may read. Memory is bounded by two batches (``lineage.collector.max_records`` and
    ``max_bytes``), the stores' caches and what callers wait for. Not restartable: make a new one.
    """

    def __init__(self, directory: Path | str, *, settings: Settings | None = None, clock: Clock | None = None) -> None:
        """Touches nothing yet. Raises ConfigurationError."""
        self.directory = Path(directory)
        settings = settings if settings is not None else Settings()
        self._database = f"sqlite:///{self.directory.absolute() / DATABASE_FILE}"
        self.settings = settings.with_default_option("sql", "url", self._database)
        lineage = self.settings.lineage
        clock = clock if clock is not None else SystemClock()
        self.metrics = PipelineMetrics()
        self.topics = Topics(lineage.collector_topic)
        self.log: Log = open_local_log(self.directory / LOG_DIRECTORY, lineage.log, clock, self.metrics.log)
        self.manager = LineageManager(self.settings, metrics=self.metrics, clock=clock)
        self.dead_letters = DeadLetters(self.log, self.topics.main)
        self._clock = clock
        self._pipeline: Pipeline | None = None
        self._accepted = -1
        """The last offset that ``accept`` did not wait for."""
        self._questions: Questions | None = None
        self._stack = AsyncExitStack()

    @property
    def pipeline(self) -> Pipeline:
        """Raises RuntimeError before ``start``."""
        return _started(self._pipeline)

    @property
    def questions(self) -> Questions:
        """Answers from the stores. Raises RuntimeError before ``start``."""
        return _started(self._questions)

    @property
    def stores_in_directory(self) -> bool:
        """Whether who reads the directory finds what is stored: it is read from ``headwater.db`` there."""
        options = self.settings.lineage.store.options("sql")
        return "sql" in chosen_stores(self.settings) and options["url"] == self._database

    @property
    def registry(self) -> CollectorRegistry:
        """Of this collector's metrics."""
        return self.metrics.registry

    async def start(self) -> None:
        """Raises ConfigurationError (another collector is at work there, no store can be read), TransientError or
        PermanentError; then nothing is left open."""
        async with AsyncExitStack() as stack:
            lock = DirectoryLock(self.directory)
            lock.acquire()
            stack.callback(lock.release)
            await self.log.open()
            stack.push_async_callback(self.log.close)
            stack.push_async_callback(self.manager.stop)
            await self.manager.start()
            reader = self.manager.reader()
            self._questions = Questions(reader)
            self._pipeline = configured_pipeline(self.log, self.manager, self.topics, self._clock)
            await self._pipeline.start()
            judge_stale_runs(stack, self.settings, self.manager.reader, self.log, self.topics.main, self._clock)
            seal_now_and_then(stack, self.settings, self.manager.stores, self._clock)
            self._stack = stack.pop_all()

    async def stop(self, *, deadline_s: float = 10.0) -> None:
        """Finishes the batch in hand (what takes longer than the deadline is read again at the next start) and closes
        everything. What still waits in the log stays there. Idempotent."""
        if self._pipeline is not None:
            await self._pipeline.stop(deadline_s=deadline_s)
        await self._stack.aclose()
        self._pipeline = self._questions = None

    async def accept(self, events: Sequence[LineageEvent]) -> list[Settlement]:
        """Appends the events and does not wait for the stores: ``LOGGED`` once durable, and whoever awaits ``readable``
        finds them. While stores are down or far behind it waits, as ``ingest`` does, and says what it knows. Raises as
        ``ingest``."""
        offsets = await self._append(events)
        if offsets and self.pipeline.keeps_up(offsets[-1]):
            self._accepted = max(self._accepted, offsets[-1])
            return [Settlement(offset, Outcome.LOGGED) for offset in offsets]
        return await self.pipeline.wait_settled(offsets, timeout_s=_PATIENCE_S)

    async def readable(self) -> None:
        """Waits, for a bounded time, until what ``accept`` took before can be read."""
        if self.pipeline.keeps_up(self._accepted):
            await self.pipeline.wait_settled([self._accepted], timeout_s=_READER_PATIENCE_S)

    async def ingest(
        self, events: Sequence[bytes | LineageEvent], *, timeout_s: float = _PATIENCE_S
    ) -> list[Settlement]:
        """Appends the events, durable, and waits until each is settled: one ``Settlement`` an event, in order.

        ``STORED``: it can be read back now. ``RETRY``, ``PENDING``: durable, and stored later by itself.
        ``DEAD_LETTER``: refused, with the reason. Bytes that are no event are taken too and end as dead letters: check
        with the codec first, and pass what it made of them, which saves doing it again. Raises LogFullError or
        TransientError if the log did not take them; then sending them again is safe.
        """
        offsets = await self._append(events)
        return await self.pipeline.wait_settled(offsets, timeout_s=timeout_s)

    async def _append(self, events: Sequence[bytes | LineageEvent]) -> list[int]:
        if not events:
            return []
        records = []
        for event in events:
            if isinstance(event, LineageEvent):
                self.pipeline.foresee(event)
                event = event.raw
            records.append(Record(event))
        return await self.log.append(self.topics.main, records)

    async def drain(self, *, timeout_s: float | None = None) -> bool:
        """Waits until everything in the log is settled and committed; False if that took too long."""
        return await self.pipeline.drain(timeout_s=timeout_s)

    async def readiness(self) -> Readiness:
        """Whether events are taken and stored now, and what is wrong if not."""
        from headwater.collector.api.services import Readiness

        health = self.pipeline.health()
        trouble = await trouble_of(self.questions.reader) if health.ready else None
        return Readiness(health.ready, {**health.checks, **({"graph": trouble} if trouble else {})})

    async def __aenter__(self) -> Embedded:
        await self.start()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.stop()


def _started(part: T | None) -> T:
    if part is None:
        raise RuntimeError("the collector is not started: await embedded.start()")
    return part
