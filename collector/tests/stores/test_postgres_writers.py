"""Several collectors write the same runs, datasets and jobs to one PostgreSQL at the same time: nothing is lost."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, suppress

import psycopg
import pytest
from psycopg.errors import DeadlockDetected
from tests.reference.test_histories import raw_events
from tests.support.comparing import compare
from tests.support.orders import cut, shuffled, with_duplicates
from tests.support.seeds import FULL, rng
from tests.support.server_stores import PATIENCE_S, empty_postgres
from tests.support.worlds import projected, sqlite_world

from headwater.collector.questions import Questions
from headwater.collector.stores.base import ProjectedEvent
from headwater.collector.stores.sql import SqlLineageStore
from headwater.collector.testing.reference.histories import Historian
from headwater.shared.event import Name

WRITERS = 4


@pytest.fixture
async def stores(postgres_url: str) -> AsyncIterator[list[SqlLineageStore]]:
    """As many processes would have: each with connections of its own."""
    url = empty_postgres(postgres_url)
    async with AsyncExitStack() as stack:
        found = []
        for number in range(WRITERS):
            store = SqlLineageStore(url, name=f"sql{number}", deadline_s=PATIENCE_S)
            stack.push_async_callback(store.close)
            await store.open()
            found.append(store)
        yield found


async def write(store: SqlLineageStore, batches: Sequence[Sequence[bytes]]) -> None:
    for batch in batches:
        await store.write([projected(raw) for raw in batch])


def shares(raw: list[bytes], source: random.Random) -> list[list[list[bytes]]]:
    """For each writer its batches: all together have every event, many have one twice, and a run's are anywhere."""
    every = with_duplicates(shuffled(raw, source), source, 0.5)
    return [cut(every[number::WRITERS], source, 12) for number in range(WRITERS)]


@pytest.mark.parametrize("number", range(60 if FULL else 6))
async def test_writers_that_share_everything_leave_what_one_writer_leaves(
    stores: list[SqlLineageStore], number: int
) -> None:
    source = rng("postgres writers", number)
    raw = raw_events(Historian(source, runs=source.choice((2, 6, 20)), jobs=3).history())
    await asyncio.gather(*(write(store, batches) for store, batches in zip(stores, shares(raw, source), strict=True)))
    async with sqlite_world() as alone:
        await alone.take([raw])
        assert isinstance(alone.store, SqlLineageStore)
        assert await Questions(stores[0].reader()).fingerprint() == await alone.questions.fingerprint()
        await compare(stores[0].reader(), alone.store.reader())


async def test_writers_that_insert_the_same_new_runs_at_once(stores: list[SqlLineageStore]) -> None:
    """Every event of a run in another writer's batch: none of them may derive the run from its own part alone."""
    source = rng("postgres new runs")
    raw = raw_events(Historian(source, runs=30, jobs=4).history())
    for _ in range(3):
        parts: list[list[ProjectedEvent]] = [[] for _ in stores]
        for position, one in enumerate(raw):
            parts[position % WRITERS].append(projected(one))
        source.shuffle(parts)
        await asyncio.gather(*(store.write(part) for store, part in zip(stores, parts, strict=True)))
    async with sqlite_world() as alone:
        await alone.take([raw])
        assert isinstance(alone.store, SqlLineageStore)
        await compare(stores[0].reader(), alone.store.reader())


def run_event(kind: str, second: int, run: int, job: int) -> bytes:
    body = {
        "eventType": kind,
        "eventTime": f"2026-01-01T00:00:{second:02d}Z",
        "producer": "https://example.org/test",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": f"00000000-0000-7000-8000-{job:06x}{run:06x}"},
        "job": {"namespace": "jobs", "name": f"job-{job}"},
        "outputs": [{"namespace": "db", "name": "shared"}],
    }
    return json.dumps(body).encode()


async def test_late_starts_of_two_runs_of_one_job_count_its_edges_again_one_after_the_other(
    stores: list[SqlLineageStore],
) -> None:
    """An edge was last seen when the job's latest run began: 15, once both late starts are known."""
    jobs = range(60)
    await write(stores[0], [[run_event("COMPLETE", 10 * run, run, job) for job in jobs for run in (1, 2)]])
    starts = [[run_event("START", 10 * run - 5, run, job) for job in jobs] for run in (1, 2)]
    await asyncio.gather(write(stores[0], [starts[0]]), write(stores[1], [starts[1]]))
    edges = await stores[0].reader().job_edges([], [Name("db", "shared")])
    assert len(edges) == len(jobs)
    assert {edge.last_time for edge in edges} == {"2026-01-01T00:00:15.000000000Z"}


async def test_the_victim_of_a_deadlock_tries_again(stores: list[SqlLineageStore], postgres_url: str) -> None:
    """Somebody else locks rows in the wrong order; either of the two may be the victim, and the batch is written."""
    raw = raw_events(Historian(rng("postgres deadlock"), runs=6, jobs=2).history())
    batch = [projected(one) for one in raw]
    await stores[0].write(batch)
    url = stores[0].reader()._engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
    async with await psycopg.AsyncConnection.connect(url) as other:
        await other.execute("SET deadlock_timeout = '10s'")
        await other.execute("SELECT 1 FROM job FOR UPDATE")
        writing = asyncio.create_task(stores[1].write(batch))
        while not await waits(postgres_url):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        with suppress(DeadlockDetected):
            await other.execute("SELECT 1 FROM run FOR UPDATE")
        await other.rollback()
        await writing


async def waits(url: str) -> bool:
    """A session waits for a lock."""
    async with await psycopg.AsyncConnection.connect(url) as connection:
        found = await connection.execute(
            "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query NOT LIKE '%pg_stat_activity%'"
        )
        return await found.fetchone() is not None
