"""GET /api/v1/lineage at depth 5, for an answer of one size, in stores of 1,000 to 100,000 jobs: made anew, and asked
again with nothing changed, when it is checked and not made."""

from __future__ import annotations

import asyncio
import json
import random
import tempfile
import time
from pathlib import Path
from urllib.parse import quote

import httpx

from benchmarks.events import START, WIDTH, run_event
from benchmarks.report import Measured, percentile
from headwater.collector.api import create_app
from headwater.collector.embedded import Embedded
from headwater.collector.projection import project
from headwater.collector.stores.base import ProjectedEvent
from headwater.shared.codec import decode

TITLE = "Lineage at depth 5 as the graph grows"
SIZES = (1_000, 10_000, 100_000)
LAYERS = 10
REQUESTS = 60
WARM_UP = 5
NODES = 210
SEED = 20261129


def run() -> list[Measured]:
    rows: list[Measured] = []
    taken = {size: asyncio.run(_measure(size)) for size in SIZES}
    for how in ("made anew", "asked again"):
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


async def _measure(size: int) -> dict[str, list[float]]:
    """Seconds of each request, by how it was answered."""
    chosen = random.Random(SEED)
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as directory:
        embedded = Embedded(Path(directory))
        await embedded.start()
        store = embedded.manager.get_store()
        for first in range(0, size, 1000):
            events = [decode(_event(job)) for job in range(first, first + 1000)]
            await store.write([ProjectedEvent(event, project(event)) for event in events])
        transport = httpx.ASGITransport(app=create_app(embedded))
        took: dict[str, list[float]] = {"made anew": [], "asked again": []}
        blocks = size // (WIDTH * LAYERS)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            for request, asked in enumerate(chosen.sample(range(blocks * WIDTH), REQUESTS + WARM_UP)):
                block, job = divmod(asked, WIDTH)  # each of them once
                node = quote(f"job:benchmark:block_{block}.layer_5.job_{job}", safe="")
                for each in took.values():
                    began = time.perf_counter()
                    answer = await client.get(f"/api/v1/lineage?nodeId={node}&depth=5")
                    if request >= WARM_UP:
                        each.append(time.perf_counter() - began)
                    assert answer.status_code == 200, answer.text
                    assert len(answer.json()["graph"]) == NODES
        await embedded.stop()
    return took
