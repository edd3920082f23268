"""A pipeline on a memory log, a manual clock and stores that fail as told."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from random import Random
from typing import Any

import pytest
from tests.support.events import good_event

from headwater.collector.breaker import BreakerPolicy
from headwater.collector.deadletters import DeadLetters
from headwater.collector.metrics import PipelineMetrics
from headwater.collector.pipeline import ManualPace, Outcome, Pipeline, Settlement
from headwater.collector.policy import BatchPolicy, RetryPolicy
from headwater.collector.stores import CompositeLineageStore, MemoryLineageStore, ProjectedEvent
from headwater.collector.topics import Topics
from headwater.shared.clock import ManualClock
from headwater.shared.errors import PermanentError, TransientError
from headwater.shared.log import Log, Record
from headwater.shared.log.memory import MemoryLog

TOPIC = "t"


def event(number: int, **more: Any) -> bytes:
    """A good event, another for each number."""
    return good_event(number, number, **more)


class ScriptedStore(MemoryLineageStore):
    """Fails as told: ``script`` for the next writes (an error, or None for a success), ``down`` for all of them,
    ``refuses`` for batches with an event it does not like."""

    def __init__(self, name: str = "scripted") -> None:
        super().__init__(name=name)
        self.script: deque[Exception | None] = deque()
        self.down = False
        self.refuses: Callable[[ProjectedEvent], bool] = lambda item: False
        self.fails_on: Callable[[ProjectedEvent], bool] = lambda item: False
        self.calls: list[int] = []
        """Events in each write, the failed ones too."""
        self.pings = 0

    async def open(self) -> None:
        if self.down:
            raise TransientError("down")

    async def write(self, batch: Sequence[ProjectedEvent]) -> None:
        self.calls.append(len(batch))
        await asyncio.sleep(0)
        error = self.script.popleft() if self.script else None
        if error is not None:
            raise error
        if self.down or any(map(self.fails_on, batch)):
            raise TransientError("down")
        if any(map(self.refuses, batch)):
            raise PermanentError("refused")
        await super().write(batch)

    async def ping(self) -> None:
        self.pings += 1
        if self.down:
            raise TransientError("down")


class World:
    """One pipeline with everything around it."""

    def __init__(
        self, *stores: MemoryLineageStore, log: Log | None = None, manual: bool = True, **options: Any
    ) -> None:
        self.clock = ManualClock()
        self.log = log if log is not None else MemoryLog(clock=self.clock)
        self.stores = list(stores) or [ScriptedStore()]
        self.metrics = PipelineMetrics()
        self.composite = CompositeLineageStore(
            self.stores,
            clock=self.clock,
            breaker=options.pop("breaker", BreakerPolicy(failures=3)),
            observer=self.metrics,
        )
        self.pace = ManualPace(self.clock)
        options.setdefault("retry", RetryPolicy(ladder_s=(5.0, 60.0), max_attempts=4))
        self.pipeline = Pipeline(
            self.log,
            self.composite,
            topics=Topics(TOPIC),
            batches=BatchPolicy(
                max_records=options.pop("max_records", 100),
                commit_every_s=0.0,
                poll_s=0.005,
                linger_s=0.0,
                prepare_ahead=options.pop("prepare_ahead", False),
            ),
            clock=self.clock,
            metrics=self.metrics,
            pace=self.pace,
            random=Random(7),
            **options,
        )
        self.letters = DeadLetters(self.log, TOPIC)

    async def start(self) -> World:
        await self.composite.open_or_defer()
        await self.pipeline.start()
        return self

    async def send(self, *values: bytes, timeout_s: float = 20.0) -> list[Settlement]:
        offsets = await self.log.append(TOPIC, [Record(value, b"key", (("h", b"1"),)) for value in values])
        return await self.pipeline.wait_settled(offsets, timeout_s=timeout_s)

    async def outcomes(self, *values: bytes) -> list[Outcome]:
        return [settlement.outcome for settlement in await self.send(*values)]

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(20):
            while not condition():  # noqa: ASYNC110 - whatever a test looks at has no event of its own
                await asyncio.sleep(0.001)


@pytest.fixture
async def world() -> AsyncIterator[Callable[..., Any]]:
    """Makes and starts worlds, and stops them afterwards."""
    made: list[World] = []

    async def make(*stores: MemoryLineageStore, start: bool = True, **options: Any) -> World:
        made.append(World(*stores, **options))
        return await made[-1].start() if start else made[-1]

    yield make
    for each in made:
        await each.pipeline.stop(deadline_s=1.0)


@pytest.fixture
def good() -> Callable[..., bytes]:
    return event


@pytest.fixture
def scripted() -> type[ScriptedStore]:
    return ScriptedStore
