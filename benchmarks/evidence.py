"""Evidence of a committed generation, and who read one, in SQLite with 1,000 to 1,000,000 runs.

``BENCHMARK_RUNS`` ends the growth earlier.
"""

from __future__ import annotations

import asyncio
import os
import random
import tempfile
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import orjson

from benchmarks.events import PRODUCER, SPEC, START, facet
from benchmarks.report import Measured, percentile
from headwater.collector.projection import project
from headwater.collector.questions import Questions
from headwater.collector.stores.base import ProjectedEvent
from headwater.collector.stores.reading import ReadQuery
from headwater.collector.stores.sql import SqlLineageStore
from headwater.collector.stores.sql.reader import SqlReader
from headwater.collector.tuning import tune_process
from headwater.shared.codec import decode
from headwater.shared.event import Name

TITLE = "Evidence by committed generation, and consumers of one, as runs are added"
SIZES = (1_000, 100_000, 1_000_000)
JOBS = 100
FAN_OUT = 10_000
"""Runs that read one generation of ``hub``, added first."""
PAGE = 100
LOOK_UPS = 300
BATCH = 10_000
"""Keys are hashes, so each row lies on a page of its own: the larger the batch, the fewer times a page is written."""
SEED = 20261129
NAMESPACE = "benchmark"


def run() -> list[Measured]:
    tune_process()  # as `headwater serve` and `headwater up` do
    most = int(os.environ.get("BENCHMARK_RUNS", SIZES[-1]))
    sizes = [size for size in SIZES if size <= most]
    found = asyncio.run(_measure(sizes))
    rows = [
        Measured(
            f"{what}, {size:,} runs: p50 / p95",
            f"{percentile(took, 0.5) * 1e3:.2f} / {percentile(took, 0.95) * 1e3:.2f} ms",
            "p95 5 ms",
            percentile(took, 0.95) < 0.005,
        )
        for what, by_size in found.items()
        for size, took in by_size.items()
    ]
    for what, by_size in found.items():
        growth = percentile(by_size[sizes[-1]], 0.5) / percentile(by_size[sizes[0]], 0.5)
        goal = f"{what}: growth of the median, {sizes[0]:,} to {sizes[-1]:,} runs"
        rows.append(Measured(goal, f"{growth:.2f} times", "1.5", growth <= 1.5))
    return rows


async def _measure(sizes: list[int]) -> dict[str, dict[int, list[float]]]:
    chosen = random.Random(SEED)
    found: dict[str, dict[int, list[float]]] = {"evidence": {}, f"{PAGE} of {FAN_OUT:,} consumers": {}}
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as directory:
        store = SqlLineageStore(f"sqlite:///{Path(directory).absolute() / 'evidence.db'}")
        await store.open()
        reader = store.reader()
        questions = Questions(reader)
        await _write(store, [_reader_of_hub(number) for number in range(FAN_OUT)])
        there = 0
        for size in sizes:
            for first in range(there, size, BATCH):
                await _write(store, [_run(number) for number in range(first, min(first + BATCH, size))])
            there = size
            asks = _evidence(questions, chosen, size), _consumers(reader)
            for what, ask in zip(found, asks, strict=True):
                found[what][size] = await _times(ask)
        await store.close()
    return found


def _evidence(questions: Questions, chosen: random.Random, runs: int) -> Callable[[], Awaitable[None]]:
    async def ask() -> None:
        number = chosen.randrange(JOBS, runs)
        answer = await questions.evidence(Name(NAMESPACE, f"table_{number % JOBS}"), f"rev-{number}")
        assert answer["status"] == "published", answer
        assert answer["edges"][0]["version"] == f"rev-{number - 1}", answer

    return ask


def _consumers(reader: SqlReader) -> Callable[[], Awaitable[None]]:
    async def ask() -> None:
        (reads,) = await reader.reads([ReadQuery((Name(NAMESPACE, "hub"),), "1", "~", "~")], PAGE)
        assert len(reads) == PAGE

    return ask


async def _times(ask: Callable[[], Awaitable[None]]) -> list[float]:
    took = []
    for number in range(LOOK_UPS + 20):
        began = time.perf_counter()
        await ask()
        if number >= 20:
            took.append(time.perf_counter() - began)
    return took


async def _write(store: SqlLineageStore, bodies: list[dict[str, Any]]) -> None:
    for first in range(0, len(bodies), BATCH):
        events = [decode(orjson.dumps(body)) for body in bodies[first : first + BATCH]]
        await store.write([ProjectedEvent(event, project(event)) for event in events])


def _run(number: int) -> dict[str, Any]:
    """A run of one of the jobs in turn: it publishes a generation of its table, and read the table of the job before it
    without saying which generation."""
    inputs = [_dataset(f"table_{(number - 1) % JOBS}")]
    return _event(number, f"job_{number % JOBS}", inputs, [_dataset(f"table_{number % JOBS}", f"rev-{number}")])


def _reader_of_hub(number: int) -> dict[str, Any]:
    return _event(2_000_000 + number, "reading", [_dataset("hub", "1")], [_dataset(f"copy_{number % 10}")])


def _event(run: int, job: str, inputs: list[dict[str, Any]], outputs: list[dict[str, Any]]) -> dict[str, Any]:
    code = facet(type="git", url="https://example.org/repo", version="0" * 40)
    return {
        "eventType": "COMPLETE",
        "eventTime": (START + timedelta(seconds=run)).isoformat().replace("+00:00", "Z"),
        "producer": PRODUCER,
        "schemaURL": SPEC,
        "run": {
            "runId": str(UUID(int=0x01900000000070008000000000000000 + run)),
            "facets": {"nominalTime": facet(nominalStartTime=(START + timedelta(hours=run)).isoformat())},
        },
        "job": {"namespace": NAMESPACE, "name": job, "facets": {"sourceCodeLocation": code}},
        "inputs": inputs,
        "outputs": outputs,
    }


def _dataset(name: str, version: str | None = None) -> dict[str, Any]:
    facets = {"version": facet(datasetVersion=version)} if version else {}
    return {"namespace": NAMESPACE, "name": name, "facets": facets}
