"""The pipeline: a log on one side, stores on the other, and nothing lost in between."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace
from random import Random
from typing import NamedTuple

import structlog

from headwater.collector.metrics import PipelineMetrics
from headwater.collector.pipeline.lane import Lane
from headwater.collector.pipeline.outcome import Settlement
from headwater.collector.pipeline.pace import Pace
from headwater.collector.pipeline.parts import Parts
from headwater.collector.pipeline.prepare import Decode, Preparer, Project
from headwater.collector.pipeline.settlements import Settlements
from headwater.collector.pipeline.writing import WritePath
from headwater.collector.policy import BatchPolicy, RetryPolicy
from headwater.collector.projection import project as project_event
from headwater.collector.sparse import SparseLog
from headwater.collector.stores.composite import CompositeLineageStore
from headwater.collector.topics import Topics
from headwater.shared.clock import Clock, SystemClock
from headwater.shared.codec import decode as decode_event
from headwater.shared.event import LineageEvent
from headwater.shared.log import Log

_log = structlog.get_logger("headwater.collector")
_NOT_FAR = 1_000
"""Records: less than a second's work."""


class Health(NamedTuple):
    """For a readiness probe."""

    ready: bool
    checks: dict[str, str]
    """Each lane (``lane main``, ``lane retry.1``, ...) and store (``store sql``): ``ok``, or why it stands still."""


class Pipeline:
    """Consumes ``topics.main`` and its retry topics in one consumer group and writes to ``stores``.

    - A record is settled when every store has it durably, or when a retry topic or the dead letters have it and name
      the stores that do not. Only settled offsets are committed, in order.
    - A record that cannot be decoded or projected, or that a store refuses, goes to the dead letters at once, byte for
      byte, and the next one proceeds.
    - While a store's breaker is open the lanes that write to it pause; they go on by themselves.
    - While a retry or dead-letter topic cannot be written, the offset is held.

    It owns neither the log nor the stores: whoever made them closes them, after ``stop``. Not restartable.
    """

    def __init__(
        self,
        log: Log,
        stores: CompositeLineageStore,
        *,
        topics: Topics | None = None,
        group: str = "headwater",
        retry: RetryPolicy | None = None,
        batches: BatchPolicy | None = None,
        decode: Decode = decode_event,
        project: Project = project_event,
        clock: Clock | None = None,
        pace: Pace | None = None,
        metrics: PipelineMetrics | None = None,
        random: Random | None = None,
    ) -> None:
        pace = pace if pace is not None else Pace()
        random = random if random is not None else Random()  # noqa: S311 - jitter
        retry = retry if retry is not None else RetryPolicy()
        clock = clock if clock is not None else SystemClock()
        batches = batches if batches is not None else BatchPolicy()
        if batches.prepare_ahead is None:
            batches = replace(batches, prepare_ahead=stores.remote)
        self.metrics = metrics if metrics is not None else PipelineMetrics()
        self.stores = stores
        self._parts = Parts(
            log=log,
            topics=topics if topics is not None else Topics(),
            group=group,
            preparer=Preparer(decode, project, bodies=stores.reads_bodies),
            writes=WritePath(stores, retry, pace, random),
            retry=retry,
            batches=batches,
            pace=pace,
            clock=clock,
            metrics=self.metrics,
            random=random,
            lines=SparseLog(clock),
        )
        self._settlements = Settlements()
        self._main = Lane(self._parts, settlements=self._settlements)
        self._lanes = [self._main, *(Lane(self._parts, rung=n) for n in range(1, len(retry.ladder_s) + 1))]
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def topics(self) -> Topics:
        """The names of the main topic and of those derived from it."""
        return self._parts.topics

    async def start(self) -> None:
        """Opens the log and begins to consume where the group left off."""
        await self._parts.log.open()
        self._tasks = [asyncio.create_task(lane.run(), name=f"headwater {lane.name}") for lane in self._lanes]

    async def stop(self, *, deadline_s: float = 10.0) -> None:
        """Finishes and commits the batch in hand, leaves the group. What takes longer than the deadline is broken off
        and read again at the next start. Idempotent."""
        self._parts.pace.stop()
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=deadline_s)
            for task in late:
                _log.warning("lane_broken_off", lane=task.get_name(), deadline_s=deadline_s)
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            self._tasks = []
        await self._parts.pace.close()

    async def drain(self, *, timeout_s: float | None = None) -> bool:
        """Waits until everything in the main topic is settled and committed; False if that took too long. What waits
        in a retry topic is not waited for."""
        self._settlements.awaited.set()  # no lingering
        try:
            async with asyncio.timeout(timeout_s):
                return await self._main.progress.drained()
        except TimeoutError:
            return False

    def foresee(self, event: LineageEvent) -> None:
        """See ``Preparer.foresee``."""
        self._parts.preparer.foresee(event)

    async def wait_settled(self, offsets: Sequence[int], *, timeout_s: float = 30.0) -> list[Settlement]:
        """What became of records of the main topic (partition 0) that were appended since this pipeline started, in the
        order of ``offsets``. One that is ``Outcome.STORED`` can be read back now. Never raises."""
        return await self._settlements.wait(offsets, timeout_s=timeout_s)

    def keeps_up(self, offset: int) -> bool:
        """Whether the record at ``offset`` of the main topic will be stored in a moment: nothing is in the way, and not
        much is before it."""
        return not (self.stores.down() or self._main.trouble) and offset - self._settlements.position < _NOT_FAR

    def health(self) -> Health:
        """Ready while every lane moves on and no store's breaker is open."""
        down = self.stores.down()
        checks = {f"lane {lane.name}": lane.trouble or "ok" for lane in self._lanes}
        if not self._parts.pace.stopping:
            checks |= {f"lane {lane.name}": "ended" for lane, task in self._running() if task.done()}
        checks |= {f"store {name}": down.get(name, "ok") for name in self.stores.members}
        if not self._tasks:
            checks["pipeline"] = "not started"
        return Health(all(word == "ok" for word in checks.values()), checks)

    def _running(self) -> Iterable[tuple[Lane, asyncio.Task[None]]]:
        return zip(self._lanes, self._tasks, strict=False)  # no tasks before the start and after the end

    def lag(self) -> dict[str, int]:
        """Records appended and not committed by topic, as last seen."""
        return {lane.topic: lane.progress.lag for lane in self._lanes if lane.progress.lag is not None}
