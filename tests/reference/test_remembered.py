"""An answer that is kept is given again only where making it anew would give the same, whatever came in between."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from headwater.collector.api import create_app
from headwater.collector.catalog import DELETED_FACET
from headwater.collector.stores.reading import Watches
from headwater.collector.testing.reference.histories import DATASETS, Event, Historian, facet, named
from headwater.shared.event import Name
from tests.marquez.serving import WorldServices
from tests.reference.test_histories import raw_events
from tests.support.orders import cut, shuffled
from tests.support.seeds import FULL, SEED, rng
from tests.support.worlds import ENGINES, World

STORES = {"sqlite": 300 if FULL else 12, "postgres": 60 if FULL else 3}
"""That keep answers, and how many histories each is asked about."""
NODES = 10_000
"""More than any of these graphs has: questions with different limits from here on have the same answer."""


class _Gossip(Historian):
    """Also renames and deletes, and lets a run's events name different jobs."""

    def history(self) -> list[Event]:
        events = super().history()
        for event in events:
            if "run" in event and self.rng.random() < 0.15:
                event["job"] = named(self.rng.choice(self.job_names))
        return events + [self.deletion() for _ in range(self.rng.choice([0, 1, 2, 4]))]

    def deletion(self) -> Event:
        day = self.rng.choice([1, 2, 3, 31, 36])
        gone = {DELETED_FACET: facet({"asOf": self.time(day).replace("Z", ".000000000Z")})}
        if self.rng.random() < 0.5:
            event = self.design() | {"job": {**named(self.rng.choice(self.job_names)), "facets": gone}}
            return event | {"eventTime": self.time(day), "inputs": [], "outputs": []}
        return self.dataset_event(self.rng.choice(DATASETS), gone) | {"eventTime": self.time(day)}


class _Graphs:
    """Lineage as the API tells it."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self._client, self._asked = client, 0

    async def remembered(self, node: str, depth: int) -> Any:
        return await self._ask(node, depth, NODES)

    async def anew(self, node: str, depth: int) -> Any:
        """Another question each time."""
        self._asked += 1
        return await self._ask(node, depth, NODES - self._asked)

    async def _ask(self, node: str, depth: int, limit: int) -> Any:
        answer = await self._client.get("/lineage", params={"nodeId": node, "depth": depth, "limit": limit})
        return answer.status_code, answer.json()


@asynccontextmanager
async def graphs(world: World) -> AsyncIterator[_Graphs]:
    transport = httpx.ASGITransport(create_app(WorldServices(world)))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost/api/v1") as client:
        yield _Graphs(client)


@pytest.mark.parametrize(("store", "number"), [(store, n) for store, each in STORES.items() for n in range(each)])
async def test_what_is_remembered_is_what_holds_now(store: str, number: int) -> None:
    source = rng("remembered", number)
    historian = _Gossip(source, runs=6)
    raw = shuffled(raw_events(historian.history()), source)
    nodes = [f"job:{space}:{name}" for space, name in historian.job_names]
    nodes += [f"dataset:{space}:{name}" for space, name in DATASETS]
    async with ENGINES[store]() as world, graphs(world) as asked:
        for batch in cut(raw, source, 4):
            await world.take([batch])
            for node in source.sample(nodes, 4):
                depth = source.choice([0, 0, 1, 3])
                kept, fresh = await asked.remembered(node, depth), await asked.anew(node, depth)
                assert kept == fresh, f"HEADWATER_SEED={SEED}, history {number}: {node} at depth {depth}"


@pytest.mark.parametrize("store", STORES)
async def test_only_what_the_graph_is_made_of_counts(store: str) -> None:
    ours, others, elsewhere = Name("jobs", "ours"), Name("jobs", "others"), Name("jobs", "elsewhere")
    one, another = Name("db", "a"), Name("db", "z")
    historian = Historian(random.Random(1), runs=4)

    def event(run: int, job: Name, dataset: Name, day: float) -> Event:
        return historian.event(historian.run_ids[run], job, day, "COMPLETE") | {"outputs": [named(dataset)]}

    async with ENGINES[store]() as world:
        reader = world.questions.reader
        assert isinstance(reader, Watches)
        await world.take([raw_events([event(0, ours, one, 1), event(1, elsewhere, another, 1)])])
        watched = await reader.watch([ours], [one])
        assert await reader.unchanged(watched)
        await world.take([raw_events([event(2, elsewhere, another, 2)])])
        assert await reader.unchanged(watched)
        await world.take([raw_events([event(3, others, one, 3)])])
        assert not await reader.unchanged(watched)
