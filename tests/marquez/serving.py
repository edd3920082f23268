"""The API over a world: a store of any engine behind the application, without a log."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from prometheus_client import CollectorRegistry

from headwater.collector.api import Readiness, create_app
from headwater.collector.api.server import serve
from headwater.collector.deadletters import DeadLetters
from headwater.collector.pipeline.outcome import Outcome, Settlement
from headwater.collector.projection import project
from headwater.collector.questions import Questions
from headwater.collector.stores.base import ProjectedEvent
from headwater.shared.event import LineageEvent
from headwater.shared.log.memory import MemoryLog
from tests.support.worlds import World


class WorldServices:
    """What is accepted is stored at once."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.questions: Questions = world.questions
        self.dead_letters = DeadLetters(MemoryLog(), "events")
        self.registry = CollectorRegistry()
        self._offset = 0

    async def ingest(self, events: Sequence[LineageEvent]) -> list[Settlement]:
        await self._world.store.write([ProjectedEvent(event, project(event)) for event in events])
        first = self._offset
        self._offset += len(events)
        return [Settlement(first + index, Outcome.STORED) for index in range(len(events))]

    async def accept(self, events: Sequence[LineageEvent]) -> list[Settlement]:
        return await self.ingest(events)

    async def readable(self) -> None:
        """It always is."""

    async def readiness(self) -> Readiness:
        return Readiness(True, {"pipeline": "ok"})


@asynccontextmanager
async def listening(world: World) -> AsyncIterator[str]:
    """The address of the API on a free port, served in this event loop."""
    address: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    stop = asyncio.Event()
    serving = asyncio.create_task(
        serve(create_app(WorldServices(world)), port=0, stop=stop, started=address.set_result)
    )
    try:
        await asyncio.wait((address, serving), return_when=asyncio.FIRST_COMPLETED)
        if serving.done():
            await serving
        yield await address
    finally:
        stop.set()
        await serving
