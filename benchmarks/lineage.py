"""GET /api/v1/lineage at depth 5, for an answer of one size, in stores of 1,000 to 100,000 jobs."""

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
SEED = 20261129


def run() -> list[Measured]:
    medians: dict[int, float] = {}
    rows = []
    for size in SIZES:
        medians[size], p95, nodes = asyncio.run(_measure(size))
        rows.append(
            Measured(
                f"{size:,} jobs: median / p95 of an answer of {nodes} nodes",
                f"{medians[size] * 1e3:.1f} / {p95 * 1e3:.1f} ms",
            )
        )
    growth = medians[SIZES[-1]] / medians[SIZES[0]]
    rows.append(Measured("growth from 1,000 to 100,000 jobs", f"{growth:.2f} times", "1.5", growth <= 1.5))
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


async def _measure(size: int) -> tuple[float, float, int]:
    chosen = random.Random(SEED)
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as directory:
        embedded = Embedded(Path(directory))
        await embedded.start()
        store = embedded.manager.get_store()
        for first in range(0, size, 1000):
            events = [decode(_event(job)) for job in range(first, first + 1000)]
            await store.write([ProjectedEvent(event, project(event)) for event in events])
        transport = httpx.ASGITransport(app=create_app(embedded))
        took, nodes = [], 0
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            for request in range(REQUESTS + 5):
                block = chosen.randrange(size // (WIDTH * LAYERS))
                node = quote(f"job:benchmark:block_{block}.layer_5.job_{chosen.randrange(WIDTH)}", safe="")
                began = time.perf_counter()
                answer = await client.get(f"/api/v1/lineage?nodeId={node}&depth=5")
                if request >= 5:
                    took.append(time.perf_counter() - began)
                assert answer.status_code == 200, answer.text
                nodes = len(answer.json()["graph"])
        await embedded.stop()
    return percentile(took, 0.5), percentile(took, 0.95), nodes
