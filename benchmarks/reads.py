"""What the API's reads take, by the number of jobs, on each store combination, beside what Marquez took.

Lineage is measured twice: made anew, and asked again with nothing changed, when it is checked and not made.

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
from datetime import timedelta
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
from headwater.collector.stores.base import ProjectedEvent
from headwater.collector.tuning import tune_process
from headwater.shared.codec import decode

TITLE = "Reads as the graph grows"
SIZES = [int(size) for size in os.environ.get("HEADWATER_BENCH_SIZES", "1000,10000,100000").split(",")]
STORES = os.environ.get("HEADWATER_BENCH_STORES", "sqlite,postgres,mongo+neo4j").split(",")
REQUESTS = int(os.environ.get("HEADWATER_BENCH_REQUESTS", "40"))
WARM_UP = 3
LAYERS = 40
"""Of a block; blocks share nothing, so the size of an answer does not follow the number of jobs."""
BLOCK = LAYERS * WIDTH
HISTORY = 300
"""Runs of one job, for the lists of runs and of dataset versions."""
BATCH = 5_000
SEED = 20261129
_LINEAGE = {1: (47.0, 97.0), 2: (57.0, 134.0), 5: (197.0, 356.0), 20: (1_607.0, 4_569.0)}
_AGAIN = ", again"
MARQUEZ = {
    **{f"lineage, depth {depth}": taken for depth, taken in _LINEAGE.items()},
    **{f"lineage, depth {depth}{_AGAIN}": taken for depth, taken in _LINEAGE.items()},
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


def _row(store: str, size: int, kind: str, taken: _Taken) -> Measured:
    least_ms, most_ms = MARQUEZ.get(kind, (None, None))
    marquez_ms = least_ms if size <= _FEW_JOBS else most_ms
    figure = f"{taken.median_s * 1e3:.1f} / {taken.p95_s * 1e3:.1f} / {taken.cpu_s * 1e3:.1f} ms"
    what = f"{store}, {size:,} jobs: {kind} ({taken.entries} entries), median / p95 / CPU"
    if marquez_ms is None:
        return Measured(what, figure)
    goal_ms = marquez_ms / _TIMES if marquez_ms > _OVER_MS else marquez_ms
    met = taken.median_s * 1e3 <= goal_ms if store in ("sqlite", "postgres") else None
    return Measured(what, figure, f"{goal_ms:g} (Marquez {marquez_ms:,.0f})", met)


def _growth(store: str, kind: str, least: _Taken, most: _Taken) -> Measured:
    growth = most.median_s / least.median_s
    met = growth <= _GROWTH if store in ("sqlite", "postgres") else None
    return Measured(
        f"{store}: {kind}, {SIZES[-1]:,} beside {SIZES[0]:,} jobs", f"{growth:.2f} times", f"{_GROWTH}", met
    )


async def _measure(store: str, size: int) -> dict[str, _Taken]:
    if store == "postgres":
        _with_trigrams()
    async with ENGINES[store]() as world:
        await _fill(world, size)
        transport = httpx.ASGITransport(create_app(WorldServices(world)))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost/api/v1", timeout=120) as client:
            return {
                kind: await _time(client, make, key, again=kind.endswith(_AGAIN))
                for kind, (make, key) in _requests(size).items()
            }


def _with_trigrams() -> None:
    """The extension that docs/operations.md asks for where there are many names; the store finds it when it opens."""
    import psycopg
    from tests.support.server_stores import empty_postgres
    from tests.support.servers import needed

    with psycopg.connect(empty_postgres(needed("postgres"))) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")


def _requests(size: int) -> dict[str, tuple[Callable[[random.Random], str], str]]:
    """Kind to (a path with its query, made anew for each request; the list in its answer)."""

    def block(chosen: random.Random) -> int:
        return chosen.randrange(max(size // BLOCK, 1))

    def lineage(depth: int, *, anew: bool) -> Callable[[random.Random], str]:
        """``anew``: another limit, so another question, at each request; the graphs are smaller than all of them."""
        limits = itertools.count(9_999, -1)

        def make(chosen: random.Random) -> str:
            job = f"block_{block(chosen)}.layer_{LAYERS // 2}.job_{chosen.randrange(WIDTH)}"
            path = f"/lineage?nodeId={quote(f'job:benchmark:{job}', safe='')}&depth={depth}"
            return f"{path}&limit={next(limits)}" if anew else path

        return make

    def search(chosen: random.Random) -> str:
        return f"/search?q=block_{block(chosen)}.layer_{chosen.randrange(LAYERS)}.job&limit=10"

    return {
        **{f"lineage, depth {depth}": (lineage(depth, anew=True), "graph") for depth in _LINEAGE},
        **{f"lineage, depth {depth}{_AGAIN}": (lineage(depth, anew=False), "graph") for depth in _LINEAGE},
        "jobs, limit 100": (lambda _: "/jobs?limit=100", "jobs"),
        "datasets, limit 100": (lambda _: f"/namespaces/{_NAMESPACE}/datasets?limit=100", "datasets"),
        "runs, limit 100": (lambda _: "/namespaces/benchmark/jobs/history/runs?limit=100", "runs"),
        "search": (search, "results"),
        "search, 1,000 matches": (lambda _: "/search?q=layer&limit=10", "results"),
        "events, limit 100": (lambda _: "/events/lineage?limit=100", "events"),
        "dataset versions, limit 100": (
            lambda _: f"/namespaces/{_NAMESPACE}/datasets/history/versions?limit=100",
            "versions",
        ),
    }


async def _time(client: httpx.AsyncClient, make: Callable[[random.Random], str], key: str, *, again: bool) -> _Taken:
    chosen = random.Random(SEED)
    took: list[float] = []
    cpu_s: list[float] = []
    entries = 0
    for request in range(REQUESTS + WARM_UP):
        path = make(chosen)
        if again:
            await client.get(path)
        began, used = time.perf_counter(), time.process_time()
        answer = await client.get(path)
        if request >= WARM_UP:
            took.append(time.perf_counter() - began)
            cpu_s.append(time.process_time() - used)
        assert answer.status_code == 200, f"{path}: {answer.text}"
        entries = len(answer.json()[key])
    return _Taken(percentile(took, 0.5), percentile(took, 0.95), sum(cpu_s) / len(cpu_s), entries)


async def _fill(world: World, size: int) -> None:
    batch: list[ProjectedEvent] = []
    for raw in _events(size):
        event = decode(raw)
        batch.append(ProjectedEvent(event, project(event)))
        if len(batch) == BATCH:
            await world.store.write(batch)
            batch = []
    if batch:
        await world.store.write(batch)


def _events(size: int) -> Iterator[bytes]:
    for job in range(size):
        block, inside = divmod(job, BLOCK)
        layer, index = divmod(inside, WIDTH)
        event = run_event("COMPLETE", job, layer + 1, index, START + timedelta(milliseconds=job))
        event["job"]["name"] = f"block_{block}.{event['job']['name']}"
        for dataset in (*event["inputs"], *event["outputs"]):
            dataset["name"] = f"block_{block}.{dataset['name']}"
        yield orjson.dumps(event)
    for at in range(HISTORY):
        event: dict[str, Any] = run_event("COMPLETE", size + at, 1, 0, START + timedelta(days=1, seconds=at))
        event["job"]["name"] = "history"
        event["inputs"], event["outputs"] = [], [{**event["outputs"][0], "name": "history"}]
        yield orjson.dumps(event)
