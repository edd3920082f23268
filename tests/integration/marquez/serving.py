"""The API over a world's store, over real HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from prometheus_client import CollectorRegistry

from headwater.collector.api import Readiness, create_app, serve
from headwater.collector.deadletters import DeadLetters
from headwater.collector.pipeline.outcome import Outcome, Settlement
from headwater.collector.projection import project
from headwater.collector.stores.base import ProjectedEvent
from headwater.shared.event import LineageEvent
from headwater.shared.log.memory import MemoryLog
from tests.support.worlds import World


class Stored:
    """Services that store at once what they are given, without a log in between."""

    def __init__(self, world: World) -> None:
        self.questions = world.questions
        self.log = MemoryLog()
        self.dead_letters = DeadLetters(self.log, "events")
        self.registry = CollectorRegistry()
        self._store, self._count = world.store, 0
        self.events: list[LineageEvent] = []
        """All that were taken, in order."""

    async def ingest(self, events: Sequence[LineageEvent]) -> list[Settlement]:
        await self._store.write([ProjectedEvent(event, project(event)) for event in events])
        first, self._count = self._count, self._count + len(events)
        self.events += events
        return [Settlement(first + index, Outcome.STORED) for index in range(len(events))]

    async def accept(self, events: Sequence[LineageEvent]) -> list[Settlement]:
        return await self.ingest(events)

    async def readable(self) -> None:
        """It always is."""

    async def readiness(self) -> Readiness:
        return Readiness(True, {})


@asynccontextmanager
async def served(services: Stored) -> AsyncIterator[str]:
    """The URL of the API, until the block ends."""
    stop, address = asyncio.Event(), asyncio.get_running_loop().create_future()
    serving = asyncio.create_task(serve(create_app(services), port=0, stop=stop, started=address.set_result))
    try:
        done, _ = await asyncio.wait({serving, address}, return_when=asyncio.FIRST_COMPLETED)
        if serving in done:
            serving.result()
        yield address.result()
    finally:
        stop.set()
        await serving
