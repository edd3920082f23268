"""The reads that only these endpoints need give the same on every store as on the plainest one, in memory."""

from __future__ import annotations

import json
from typing import Any

import pytest

from headwater.collector.stores.memory import MemoryLineageStore
from headwater.collector.stores.reading import EventFilter, Search
from headwater.shared.event import Name
from tests.marquez.events import DB, JOBS, dataset_event, event
from tests.marquez.events import dataset as about
from tests.support.seeds import rng
from tests.support.worlds import World, projected


def _told() -> list[dict[str, Any]]:
    chosen = rng("store reads")
    told: list[dict[str, Any]] = []
    for run in range(1, 60):
        reads, writes = ([f"d_{chosen.randrange(12)}" for _ in range(chosen.randrange(3))] for _ in range(2))
        day = chosen.randrange(1, 28)
        told.append(
            event(
                chosen.choice(["START", "COMPLETE", "FAIL", None]),
                run,
                f"Job_{chosen.randrange(6)}",
                sorted(set(reads)),
                sorted(set(writes)),
                time=f"2025-0{chosen.randrange(1, 5)}-{day:02d}T{chosen.randrange(24):02d}:00:00Z",
                namespace=chosen.choice([JOBS, "other"]),
            )
        )
    return [*told, dataset_event(about("only_described"))]


@pytest.fixture
async def both(world: World) -> tuple[Any, Any]:
    batch = [projected(json.dumps(each).encode()) for each in _told()]
    plain = MemoryLineageStore()
    await plain.write(batch)
    await world.store.write(batch)
    return world.questions.reader, plain.reader()


async def test_edges_at_a_time(both):
    reader, plain = both
    jobs = [Name(space, f"Job_{n}") for space in (JOBS, "other") for n in range(6)]
    for at in ("2025-01-15", "2025-02-20", "2025-03-31", "2025-12-31"):
        time = f"{at}T00:00:00.000000000Z"
        found = sorted(await reader.job_edges_at(jobs, time, 1000))
        assert found == sorted(await plain.job_edges_at(jobs, time, 1000))
        assert at < "2025-02" or found
    assert sorted(await reader.job_edges_at(jobs, "2025-12-31T00:00:00.000000000Z", 1000)) == sorted(
        await reader.job_edges(jobs, ())
    ), "at the end of all times edges are those of now"


async def test_jobs_that_ever_had_an_edge(both):
    reader, plain = both
    for n in range(12):
        wanted = [Name(DB, f"d_{n}")]
        assert await reader.edge_jobs(wanted) == await plain.edge_jobs(wanted)


@pytest.mark.parametrize(
    "where",
    [
        Search("job_1"),
        Search("D_1"),
        Search("_", newest_first=True),
        Search("d", ("dataset",)),
        Search("3", namespace="other"),
        Search("ob", since="2025-03-01T00:00:00.000000000Z", before="2025-04-20T00:00:00.000000000Z"),
        Search("only_desc"),
        Search("absent"),
    ],
)
async def test_search(both, where):
    reader, plain = both
    for limit, offset in ((100, 0), (2, 1)):
        assert await reader.search(where, limit, offset) == await plain.search(where, limit, offset)


@pytest.mark.parametrize("kind", ["job", "dataset"])
async def test_what_was_seen_before(both, kind):
    reader, plain = both
    times = [f"2025-0{month}-10T00:00:00.000000000Z" for month in range(1, 7)]
    found = await reader.seen_before(kind, times)
    assert found == await plain.seen_before(kind, times)
    assert found == sorted(found)
    assert found[-1] > 0


async def test_events_by_type_and_by_namespace(both):
    reader, plain = both
    bounds = [f"2025-0{month}-01T00:00:00.000000000Z" for month in range(1, 7)]
    counted = await reader.count_by_type(bounds)
    assert counted == await plain.count_by_type(bounds)
    assert sum(sum(each.values()) for each in counted) > 20
    for descending in (True, False):
        for namespace in (JOBS, "other", "nope"):
            where = EventFilter(namespace=namespace, descending=descending)
            assert await reader.count_documents(where) == await plain.count_documents(where)
            page = await reader.list_documents(where, 7, 3)
            assert [each.raw for each in page] == [each.raw for each in await plain.list_documents(where, 7, 3)]
