"""GET /api/v1/lineage at depth 5, for an answer of one size, in stores of 1,000 to 100,000 jobs: asked first, each
time about another part of the graph, and again with nothing changed, when its nodes are checked and not made."""

from __future__ import annotations

import asyncio
import json
import random
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext
from pathlib import Path
from urllib.parse import quote

import httpx

from benchmarks.events import START, WIDTH, run_event
from benchmarks.reads import nothing_kept
from benchmarks.report import Measured, percentile
from headwater.collector.api import create_app
from headwater.collector.embedded import Embedded
from headwater.collector.projection import project
from headwater.collector.stores.base import ProjectedEvent
from headwater.collector.tuning import tune_process
from headwater.shared.codec import decode

TITLE = "Lineage at depth 5 as the graph grows"
SIZES = (1_000, 10_000, 100_000)
LAYERS = 10
REQUESTS = 60
WARM_UP = 5
NODES = 181
"""Of each answer."""
SEED = 20261129


def run() -> list[Measured]:
    tune_process()  # as `headwater serve` and `headwater up` do
    rows: list[Measured] = []
    taken = asyncio.run(_measure())
    for how in ("asked first", "asked again"):
        medians = {size: percentile(taken[size][how], 0.5) for size in SIZES}
        for size in SIZES:
            p95 = percentile(taken[size][how], 0.95)
            what = f"{size:,} jobs, {how}: median / p95 of an answer of {NODES} nodes"
            rows.append(Measured(what, f"{medians[size] * 1e3:.1f} / {p95 * 1e3:.1f} ms"))
        growth = medians[SIZES[-1]] / medians[SIZES[0]]
        what = f"growth from 1,000 to 100,000 jobs, {how}"
        rows.append(Measured(what, f"{growth:.2f} times", "1.5", growth <= 1.5))
    return rows


def _event(job: int) -> bytes:
    """Blocks of ten layers by ten jobs; datasets of different blocks share nothing."""
    block, inside = divmod(job, WIDTH * LAYERS)
    layer, index = divmod(inside, WIDTH)
    event = run_event("COMPLETE", job, layer + 1, index, START)
    event["job"]["name"] = f"block_{block}.{event['job']['name']}"
    for dataset in (*event["inputs"], *event["outputs"]):
        dataset["name"] = f"block_{block}.{dataset['name']}"
    return json.dumps(event).encode()


async def _measure() -> dict[int, dict[str, list[float]]]:
    """By size, and by how it was answered, the seconds of each request. The sizes take turns: the machine's own speed
    changes within minutes."""
    chosen = random.Random(SEED)
    asked = {size: chosen.sample(range(size // LAYERS), REQUESTS + WARM_UP) for size in SIZES}  # each of them once
    taken: dict[int, dict[str, list[float]]] = {size: {"asked first": [], "asked again": []} for size in SIZES}
    async with AsyncExitStack() as stack:
        clients = {size: await stack.enter_async_context(_filled(size)) for size in SIZES}
        for request in range(REQUESTS + WARM_UP):
            for size, client in clients.items():
                block, job = divmod(asked[size][request], WIDTH)
                node = quote(f"job:benchmark:block_{block}.layer_5.job_{job}", safe="")
                for how, took in taken[size].items():
                    with nothing_kept() if how == "asked first" else nullcontext():
                        began = time.perf_counter()
                        answer = await client.get(f"/api/v1/lineage?nodeId={node}&depth=5")
                    if request >= WARM_UP:
                        took.append(time.perf_counter() - began)
                    assert answer.status_code == 200, answer.text
                    assert len(answer.json()["graph"]) == NODES
    return taken


@asynccontextmanager
async def _filled(size: int) -> AsyncIterator[httpx.AsyncClient]:
    """The API over a store of so many jobs."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as directory:
        embedded = Embedded(Path(directory))
        await embedded.start()
        store = embedded.manager.get_store()
        for first in range(0, size, 1000):
            events = [decode(_event(job)) for job in range(first, first + 1000)]
            await store.write([ProjectedEvent(event, project(event)) for event in events])
        transport = httpx.ASGITransport(app=create_app(embedded))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            yield client
        await embedded.stop()
