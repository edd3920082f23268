"""The deployed worker: from the log that ``lineage.url`` names to the configured stores. Any number share the work."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from headwater.collector.audit.policy import seal_now_and_then
from headwater.collector.background import go_on
from headwater.collector.configured_pipeline import configured_pipeline
from headwater.collector.deadletters import DeadLetters
from headwater.collector.logurl import configured_log
from headwater.collector.manager import LineageManager
from headwater.collector.metrics import PipelineMetrics
from headwater.collector.settings import Settings
from headwater.collector.sparse import SparseLog
from headwater.collector.staleness import judge_stale_runs
from headwater.collector.topics import Topics
from headwater.shared.clock import Clock, SystemClock
from headwater.shared.errors import HeadwaterError

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

    from headwater.collector.api.services import Readiness

_FIRST_LOOK_S, _LAST_LOOK_S = 1.0, 30.0


class Collecting:
    """Log, stores and pipeline of one worker. Implements Operations.

    Brokers and stores may be away when it starts and at any time later: it waits for them and says so in
    ``readiness``. Not restartable: make a new one.
    """

    def __init__(self, settings: Settings, *, url: str | None = None, clock: Clock | None = None) -> None:
        """``url`` wins over ``lineage.url``. Touches nothing yet. Raises ConfigurationError."""
        self.settings = settings
        clock = clock if clock is not None else SystemClock()
        self.metrics = PipelineMetrics()
        self.log, topic = configured_log(settings.lineage, url, clock, self.metrics.log)
        self.topics = Topics(topic)
        self.manager = LineageManager(settings, metrics=self.metrics, clock=clock)
        self.dead_letters = DeadLetters(self.log, topic)
        self.pipeline = configured_pipeline(self.log, self.manager, self.topics, clock)
        self._clock = clock
        self._lines = SparseLog(clock)
        self._stack = AsyncExitStack()
        self._topics_trouble: str | None = None
        self._step: str | None = "not started"
        """Of the start; None when it is done."""

    @property
    def registry(self) -> CollectorRegistry:
        """Of this worker's metrics."""
        return self.metrics.registry

    async def start(self) -> None:
        """Raises ConfigurationError or PermanentError; then nothing is left open."""
        async with AsyncExitStack() as stack:
            self._step = "opening the log"
            await self.log.open()
            stack.push_async_callback(self.log.close)
            stack.push_async_callback(self.manager.stop)
            self._step = "opening the stores"
            await self.manager.start()
            await self.pipeline.start()
            self._step = None
            go_on(stack, self._look_for_topics(), "headwater topics")
            judge_stale_runs(stack, self.settings, self.manager.reader, self.log, self.topics.main, self._clock)
            seal_now_and_then(stack, self.settings, self.manager.stores, self._clock)
            self._stack = stack.pop_all()

    async def stop(self, *, deadline_s: float = 30.0) -> None:
        """Finishes the batch in hand and leaves the group; what takes longer than the deadline is read again by
        another worker. Idempotent."""
        await self.pipeline.stop(deadline_s=deadline_s)
        await self._stack.aclose()

    async def readiness(self) -> Readiness:
        """Whether events are settled now, and what is wrong if not. May be asked before and during ``start``."""
        from headwater.collector.api.services import Readiness

        if self._step is not None:
            members = self.manager.stores.members.values()
            stores = {f"store {member.name}": "ok" if member.opened else "not opened yet" for member in members}
            return Readiness(False, {"start": self._step, **stores})
        ready, checks = self.pipeline.health()
        if self._topics_trouble is not None:
            return Readiness(False, {**checks, "topics": self._topics_trouble})
        return Readiness(ready, checks)

    async def _look_for_topics(self) -> None:
        """A consumer waits in silence for a topic that does not exist; somebody has to say so."""
        from headwater.shared.log.kafka import KafkaLog

        if not isinstance(self.log, KafkaLog):
            return
        rungs = range(1, len(self.settings.lineage.collector.retry.ladder_s) + 1)
        wanted = (self.topics.main, *map(self.topics.retry, rungs), self.topics.dead_letters)
        wait_s = _FIRST_LOOK_S
        while True:
            try:
                await self.log.ensure(wanted)
            except HeadwaterError as error:
                self._lines.warning("topics_missing", of=self.topics.main, error=str(error))
                self._topics_trouble = str(error)
            else:
                self._topics_trouble = None
                return
            await asyncio.sleep(wait_s)
            wait_s = min(_LAST_LOOK_S, wait_s * 2)

    async def __aenter__(self) -> Collecting:
        await self.start()
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.stop()
