"""A node that is kept is used again only where making it anew would give the same, whatever came in between."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, TypeAlias, cast

import httpx
import pytest

from headwater.collector.api import create_app
from headwater.collector.catalog import DELETED_FACET
from headwater.collector.questions import Questions
from headwater.collector.questions.whole import whole
from headwater.collector.stores.reading import Ask, Reader, Seen, T, Watches
from headwater.collector.testing.reference.histories import ALIASES, DATASETS, Event, Historian, facet, named
from headwater.shared.event import Name
from tests.marquez.serving import WorldServices
from tests.reference.test_histories import raw_events
from tests.support.orders import cut, shuffled
from tests.support.seeds import FULL, SEED, rng
from tests.support.worlds import ENGINES, World

STORES = {"sqlite": 300 if FULL else 12, "postgres": 60 if FULL else 3}
"""That keep answers, and how many histories each is asked about."""
WAYS: tuple[dict[str, Any], ...] = (
    {},
    {},
    {"direction": "both"},
    {"order": "distance"},
    {"limit": 4},
    {"fold": "twins,files"},
)
"""Different answers made of the same nodes."""


Dataset: TypeAlias = tuple[str, str]


class _Gossip(Historian):
    """Also renames and deletes, and lets a run's events name different jobs."""

    def history(self) -> list[Event]:
        events = super().history()
        for event in events:
            if "run" in event and self.rng.random() < 0.15:
                event["job"] = named(self.rng.choice(self.job_names))
        return events + [self.deletion() for _ in range(self.rng.choice([0, 1, 2, 4]))]

    def link(self) -> Event:
        """Also chains of names."""
        if self.rng.random() < 0.5:
            return super().link()
        name, other = self.rng.sample([*DATASETS, *ALIASES.values()], 2)
        return self.symlink(name, other)

    def symlink(self, name: Dataset, other: Dataset) -> Event:
        return self.dataset_event(name, {"symlinks": facet({"identifiers": [{**named(other), "type": "TABLE"}]})})

    def deletion(self) -> Event:
        day = self.rng.choice([1, 2, 3, 31, 36])
        gone = {DELETED_FACET: facet({"asOf": self.time(day).replace("Z", ".000000000Z")})}
        if self.rng.random() < 0.5:
            event = self.design() | {"job": {**named(self.rng.choice(self.job_names)), "facets": gone}}
            return event | {"eventTime": self.time(day), "inputs": [], "outputs": []}
        return self.dataset_event(self.rng.choice(DATASETS), gone) | {"eventTime": self.time(day)}


class _Forgetful:
    """A reader that cannot tell what has changed, so that nothing of it is kept."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def __getattr__(self, name: str) -> Any:
        if name in ("watch", "unchanged"):
            raise AttributeError(name)
        return getattr(self._reader, name)

    async def whole(self, ask: Ask[T]) -> T:
        return await whole(self._reader, lambda view: ask(cast(Reader, _Forgetful(view))))


class _Graphs:
    """Lineage as the API tells it."""

    def __init__(self, *, kept: httpx.AsyncClient, anew: httpx.AsyncClient) -> None:
        self._kept, self._anew = kept, anew

    async def from_kept(self, question: Mapping[str, Any]) -> Any:
        return await self._ask(self._kept, question)

    async def anew(self, question: Mapping[str, Any]) -> Any:
        return await self._ask(self._anew, question)

    async def _ask(self, client: httpx.AsyncClient, question: Mapping[str, Any]) -> Any:
        answer = await client.get("/lineage", params=dict(question))
        return answer.status_code, answer.json()


@asynccontextmanager
async def graphs(world: World) -> AsyncIterator[_Graphs]:
    forgetful = WorldServices(world)
    forgetful.questions = Questions(cast(Reader, _Forgetful(world.questions.reader)))
    async with _client(WorldServices(world)) as kept, _client(forgetful) as anew:
        yield _Graphs(kept=kept, anew=anew)


def _client(services: WorldServices) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(create_app(services))
    return httpx.AsyncClient(transport=transport, base_url="http://localhost/api/v1")


@pytest.mark.parametrize(("store", "number"), [(store, n) for store, each in STORES.items() for n in range(each)])
async def test_what_is_made_of_kept_nodes_is_what_holds_now(store: str, number: int) -> None:
    source = rng("kept nodes", number)
    historian = _Gossip(source, runs=6)
    raw = shuffled(raw_events(historian.history()), source)
    nodes = [f"job:{space}:{name}" for space, name in historian.job_names]
    nodes += [f"dataset:{space}:{name}" for space, name in DATASETS]
    async with ENGINES[store]() as world, graphs(world) as asked:
        for batch in cut(raw, source, 4):
            await world.take([batch])
            for node in source.sample(nodes, 4):
                question = {"nodeId": node, "depth": source.choice([0, 0, 1, 3]), **source.choice(WAYS)}
                kept, anew = await asked.from_kept(question), await asked.anew(question)
                assert kept == anew, f"HEADWATER_SEED={SEED}, history {number}: {question}"


@pytest.mark.parametrize("store", STORES)
async def test_a_name_two_links_away_counts(store: str) -> None:
    historian = _Gossip(random.Random(1), runs=3)
    (first, middle, last), (reading, early, late), job = DATASETS[:3], historian.run_ids, historian.job_names[0]

    def wrote(run: str, day: float, dataset: Dataset) -> Event:
        return historian.event(run, historian.job_names[1], day, "COMPLETE") | {"outputs": [named(dataset)]}

    links = [historian.symlink(first, middle), historian.symlink(middle, last)]
    read = historian.event(reading, job, 9, "COMPLETE") | {"inputs": [named(first)]}
    pins = await _inputs_before_and_after(store, job, [*links, wrote(early, 3, first), read], wrote(late, 5, last))
    assert [pin["generation"] for pin in pins] == [f"~{early}", f"~{late}"]


@pytest.mark.parametrize("store", STORES)
async def test_a_name_that_only_a_lineage_facet_says_counts(store: str) -> None:
    historian = _Gossip(random.Random(1), runs=1)
    (output, source, other), job = DATASETS[:3], historian.job_names[0]
    stated = facet({"inputs": [{**named(source), "type": "DATASET"}]})
    run = historian.event(historian.run_ids[0], job, 1, "COMPLETE")
    run |= {"outputs": [{**named(output), "facets": {"lineage": stated}}]}
    edges = await _before_and_after(store, job, [run], historian.symlink(other, source))
    assert [edge["origin"] for (edge,) in (data["datasetEdges"] for data in edges)] == [
        f"dataset:{':'.join(name)}" for name in (source, other)
    ]


async def _inputs_before_and_after(store: str, job: Dataset, before: list[Event], then: Event) -> list[Any]:
    found = await _before_and_after(store, job, before, then)
    return [pin for data in found for pin in data["latestRun"]["inputDatasetVersions"]]


async def _before_and_after(store: str, job: Dataset, before: list[Event], then: Event) -> list[Any]:
    """The job's data in its graph, which stayed in memory between."""
    found = []
    node = f"job:{':'.join(job)}"
    async with ENGINES[store]() as world, graphs(world) as asked:
        for events in (before, [then]):
            await world.take([raw_events(events)])
            _, answer = await asked.from_kept({"nodeId": node, "depth": 0})
            assert (200, answer) == await asked.anew({"nodeId": node, "depth": 0})
            found += [each["data"] for each in answer["graph"] if each["id"] == node]
    return found


@pytest.mark.parametrize("store", STORES)
async def test_only_what_was_seen_counts(store: str) -> None:
    ours, elsewhere = Name("jobs", "ours"), Name("jobs", "elsewhere")
    one, another = Name("db", "a"), Name("db", "z")
    historian = Historian(random.Random(1), runs=4)

    def event(run: int, job: Name, dataset: Name, day: float) -> Event:
        return historian.event(historian.run_ids[run], job, day, "COMPLETE") | {"outputs": [named(dataset)]}

    async with ENGINES[store]() as world:
        reader = world.questions.reader
        assert isinstance(reader, Watches)
        await world.take([raw_events([event(0, ours, one, 1), event(1, elsewhere, another, 1)])])
        watched = await reader.watch([Seen([ours], [], []), Seen([], [one], []), Seen([], [one], [("dataset", one)])])
        assert await reader.unchanged(watched) == [True, True, True]
        await world.take([raw_events([event(2, elsewhere, another, 2)])])
        assert await reader.unchanged(watched) == [True, True, True]
        await world.take([raw_events([event(3, ours, another, 3)])])
        assert await reader.unchanged(watched) == [False, True, False]
        assert not await reader.watch([])
        assert not await reader.unchanged([])
