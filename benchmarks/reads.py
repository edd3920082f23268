"""What the API's reads take, by the number of jobs, on each store combination, beside what Marquez took.

Lineage is measured three times: asked first, of a process that has kept nothing; after a run of a job in the middle of
it, when the nodes that the run touched are made and the others checked; and again, with nothing changed.

Marquez 0.51.1 on two cores, the same requests for answers of the same size: see ``MARQUEZ``. Sizes, stores and requests
by environment: HEADWATER_BENCH_SIZES (``1000,10000,100000``), HEADWATER_BENCH_STORES (``sqlite,postgres,mongo+neo4j``;
servers as the tests find them) and HEADWATER_BENCH_REQUESTS (``40`` of each kind).
"""

from __future__ import annotations

import asyncio
import itertools
import os
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from urllib.parse import quote

import httpx
import orjson
from tests.marquez.serving import WorldServices
from tests.support.worlds import ENGINES, World

from benchmarks.events import START, WIDTH, run_event
from benchmarks.report import Measured, percentile
from headwater.collector.api import create_app
from headwater.collector.projection import project
from headwater.collector.questions.keeping import NodeMemory
from headwater.collector.stores.base import ProjectedEvent
from headwater.collector.tuning import tune_process
from headwater.shared.codec import decode

TITLE = "Reads as the graph grows"
SIZES = [int(size) for size in os.environ.get("HEADWATER_BENCH_SIZES", "1000,10000,100000").split(",")]
STORES = os.environ.get("HEADWATER_BENCH_STORES", "sqlite,postgres,mongo+neo4j").split(",")
REQUESTS = int(os.environ.get("HEADWATER_BENCH_REQUESTS", "40"))
WARM_UP = 3
LONG_S = 60.0
"""After which no more requests of a kind are made."""
LAYERS = 40
"""Of a block; blocks share nothing, so the size of an answer does not follow the number of jobs."""
BLOCK = LAYERS * WIDTH
HISTORY = 300
"""Runs of one job, for the lists of runs and of dataset versions."""
BATCH = 1_000
SEED = 20261129
_LINEAGE = {1: (47.0, 97.0), 2: (57.0, 134.0), 5: (197.0, 356.0), 20: (1_607.0, 4_569.0)}
_FIRST, _AFTER_A_RUN, _AGAIN = "first", "after a run", "again"
_WAYS = (_FIRST, _AFTER_A_RUN, _AGAIN)
MARQUEZ = {
    **{f"lineage, depth {depth}, {way}": taken for depth, taken in _LINEAGE.items() for way in _WAYS},
    "jobs, limit 100": (2_700.0, 12_000.0),
    "datasets, limit 100": (114.0, 114.0),
    "search": (6.0, 6.0),
    "events, limit 100": (19.0, 19.0),
}
"""Milliseconds with 500 jobs and with 3,000, for answers of 19, 46, 194 and 830 nodes. Up to 1,000 jobs the first is
what is to be beaten, from there on the second. Lists of runs and versions were not timed."""
_FEW_JOBS = 1_000
_OVER_MS, _TIMES, _GROWTH = 100.0, 20, 1.5
_NAMESPACE = quote("postgres://warehouse.example.org:5432", safe="")


class _Taken(NamedTuple):
    median_s: float
    p95_s: float
    cpu_s: float
    """Of this process, on average: a busy machine disturbs it less. A server's is not in it."""
    entries: int
    """In the answer."""


def run() -> list[Measured]:
    tune_process()  # as `headwater serve` and `headwater up` do
    rows: list[Measured] = []
    for store in STORES:
        taken = {size: asyncio.run(_measure(store, size)) for size in SIZES}
        for kind in taken[SIZES[0]]:
            rows += [_row(store, size, kind, taken[size][kind]) for size in SIZES]
            if len(SIZES) > 1:
                rows.append(_growth(store, kind, taken[SIZES[0]][kind], taken[SIZES[-1]][kind]))
    return rows


def _row(store: str, size: int, kind: str, taken: _Taken | None) -> Measured:
    if taken is None:
        return Measured(f"{store}, {size:,} jobs: {kind}", "503: the store did not answer in time", "an answer", False)
    least_ms, most_ms = MARQUEZ.get(kind, (None, None))
    marquez_ms = least_ms if size <= _FEW_JOBS else most_ms
    figure = f"{taken.median_s * 1e3:.1f} / {taken.p95_s * 1e3:.1f} / {taken.cpu_s * 1e3:.1f} ms"
    what = f"{store}, {size:,} jobs: {kind} ({taken.entries} entries), median / p95 / CPU"
    if marquez_ms is None:
        return Measured(what, figure)
    goal_ms = marquez_ms / _TIMES if marquez_ms > _OVER_MS else marquez_ms
    met = taken.median_s * 1e3 <= goal_ms if store in ("sqlite", "postgres") else None
    return Measured(what, figure, f"{goal_ms:g} (Marquez {marquez_ms:,.0f})", met)


def _growth(store: str, kind: str, least: _Taken | None, most: _Taken | None) -> Measured:
    what = f"{store}: {kind}, {SIZES[-1]:,} beside {SIZES[0]:,} jobs"
    if least is None or most is None:
        return Measured(what, "no answer to compare")
    growth = most.median_s / least.median_s
    met = growth <= _GROWTH if store in ("sqlite", "postgres") else None
    return Measured(what, f"{growth:.2f} times", f"{_GROWTH}", met)


async def _measure(store: str, size: int) -> dict[str, _Taken | None]:
    postgres = _with_trigrams() if store == "postgres" else None
    async with ENGINES[store]() as world:
        await _fill(world, size)
        if postgres is not None:
            _rest(postgres)
        asking = _Asking(world, size)
        return {kind: await asking.time(kind, make, key) for kind, (make, key) in _requests(size).items()}


def _with_trigrams() -> str:
    """The extension that docs/operations.md asks for where there are many names; the store finds it when it opens.
    Returns the database's URL."""
    import psycopg
    from tests.support.server_stores import empty_postgres
    from tests.support.servers import needed

    place = empty_postgres(needed("postgres"))
    with psycopg.connect(place) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
    return place


def _rest(place: str) -> None:
    """What the server would do by itself in the minutes after so many rows, and would disturb what is measured then."""
    import psycopg

    with psycopg.connect(place, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")
        connection.execute("CHECKPOINT")


class _Request(NamedTuple):
    path: str
    job: int = 0
    """In the middle of the answer, where it is a graph."""


def _requests(size: int) -> dict[str, tuple[Callable[[random.Random], _Request], str]]:
    """Kind to (a request, drawn anew each time; the list in its answer)."""

    def block(chosen: random.Random) -> int:
        return chosen.randrange(max(size // BLOCK, 1))

    def lineage(depth: int) -> Callable[[random.Random], _Request]:
        def make(chosen: random.Random) -> _Request:
            job = block(chosen) * BLOCK + (LAYERS // 2 - 1) * WIDTH + chosen.randrange(WIDTH)
            node = quote(f"job:benchmark:{_event(job, 0, START)['job']['name']}", safe="")
            return _Request(f"/lineage?nodeId={node}&depth={depth}", job)

        return make

    def graphs(way: str) -> dict[str, tuple[Callable[[random.Random], _Request], str]]:
        return {f"lineage, depth {depth}, {way}": (lineage(depth), "graph") for depth in _LINEAGE}

    def search(chosen: random.Random) -> _Request:
        return _Request(f"/search?q=block_{block(chosen)}.layer_{chosen.randrange(LAYERS)}.job&limit=10")

    def always(path: str) -> Callable[[random.Random], _Request]:
        return lambda _: _Request(path)

    return {
        **graphs(_FIRST),
        **graphs(_AGAIN),
        "jobs, limit 100": (always("/jobs?limit=100"), "jobs"),
        "datasets, limit 100": (always(f"/namespaces/{_NAMESPACE}/datasets?limit=100"), "datasets"),
        "runs, limit 100": (always("/namespaces/benchmark/jobs/history/runs?limit=100"), "runs"),
        "search": (search, "results"),
        "search, 1,000 matches": (always("/search?q=layer&limit=10"), "results"),
        "events, limit 100": (always("/events/lineage?limit=100"), "events"),
        "dataset versions, limit 100": (
            always(f"/namespaces/{_NAMESPACE}/datasets/history/versions?limit=100"),
            "versions",
        ),
        **graphs(_AFTER_A_RUN),  # last: lists are of other jobs and runs afterwards
    }


class _Asking:
    """Requests of an API over a world."""

    def __init__(self, world: World, size: int) -> None:
        self._world = world
        transport = httpx.ASGITransport(create_app(WorldServices(world)))
        self._client = httpx.AsyncClient(transport=transport, base_url="http://localhost/api/v1", timeout=120)
        self._runs = itertools.count(size + HISTORY)

    async def time(self, kind: str, make: Callable[[random.Random], _Request], key: str) -> _Taken | None:
        chosen = random.Random(SEED)
        took: list[float] = []
        cpu_s: list[float] = []
        entries = 0
        for number in range(REQUESTS + WARM_UP):
            request = make(chosen)
            way = kind.rpartition(", ")[2]
            await self._prepare(way, request)
            with nothing_kept() if way == _FIRST else nullcontext():
                began, used = time.perf_counter(), time.process_time()
                answer = await self._client.get(request.path)
            if number >= WARM_UP:
                took.append(time.perf_counter() - began)
                cpu_s.append(time.process_time() - used)
            if answer.status_code == 503:
                return None
            assert answer.status_code == 200, f"{request.path}: {answer.text}"
            entries = len(answer.json()[key])
            if sum(took) > LONG_S:
                break
        return _Taken(percentile(took, 0.5), percentile(took, 0.95), sum(cpu_s) / len(cpu_s), entries)

    async def _prepare(self, way: str, request: _Request) -> None:
        if way in (_AFTER_A_RUN, _AGAIN):
            await self._client.get(request.path)
        if way == _AFTER_A_RUN:
            run = next(self._runs)
            await _write(self._world, [_event(request.job, run, START + timedelta(days=2, seconds=run))])


@contextmanager
def nothing_kept() -> Iterator[None]:
    """As in a process that was just started; new nodes are kept all the same."""
    find = NodeMemory.find
    NodeMemory.find = lambda *_: None  # type: ignore[method-assign]
    try:
        yield
    finally:
        NodeMemory.find = find  # type: ignore[method-assign]


async def _fill(world: World, size: int) -> None:
    events = _events(size)
    while batch := list(itertools.islice(events, BATCH)):
        await _write(world, batch)


async def _write(world: World, events: list[dict[str, Any]]) -> None:
    decoded = [decode(orjson.dumps(event)) for event in events]
    await world.store.write([ProjectedEvent(event, project(event)) for event in decoded])


def _events(size: int) -> Iterator[dict[str, Any]]:
    for job in range(size):
        yield _event(job, job, START + timedelta(milliseconds=job))
    for at in range(HISTORY):
        event = run_event("COMPLETE", size + at, 1, 0, START + timedelta(days=1, seconds=at))
        event["job"]["name"] = "history"
        event["inputs"], event["outputs"] = [], [{**event["outputs"][0], "name": "history"}]
        yield event


def _event(job: int, run: int, at: datetime) -> dict[str, Any]:
    """A run of a job: ``WIDTH`` of them a layer, ``LAYERS`` a block."""
    block, inside = divmod(job, BLOCK)
    layer, index = divmod(inside, WIDTH)
    event = run_event("COMPLETE", run, layer + 1, index, at)
    event["job"]["name"] = f"block_{block}.{event['job']['name']}"
    for dataset in (*event["inputs"], *event["outputs"]):
        dataset["name"] = f"block_{block}.{dataset['name']}"
    return event
