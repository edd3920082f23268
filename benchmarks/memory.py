"""Memory of the collector while 1,000,000 events pass: `headwater up` reads a local log that is filled beside it."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path

import psutil

from benchmarks.events import run_events
from benchmarks.ingest import server
from benchmarks.report import Measured
from headwater.shared.log import Record
from headwater.shared.log.local import LocalLog
from headwater.shared.log.segments import SegmentLog
from headwater.shared.names import DEFAULT_TOPIC

TITLE = "Memory of the collector while events pass"
EVENTS = int(os.environ.get("BENCHMARK_EVENTS", "1000000"))
STEP = 2_000
AHEAD = 20_000
"""Events that the writer may be ahead of the collector."""


def run() -> list[Measured]:
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as directory, server(Path(directory)) as port:
        process = _collector(port)
        began = time.perf_counter()
        seen = asyncio.run(_pass(Path(directory) / "log", process))
        rate = EVENTS / (time.perf_counter() - began)
    tenth = seen[len(seen) // 10 :]
    return [
        Measured("resident memory after a tenth of the events", f"{tenth[0] / 1e6:.0f} MB"),
        Measured(
            "most resident memory from then on", f"{max(tenth) / 1e6:.0f} MB", "1.5 times", max(tenth) <= 1.5 * tenth[0]
        ),
        Measured("events passed", f"{EVENTS:,} at {rate:,.0f} events/s, 1,000 jobs, every run new"),
    ]


def _collector(port: int) -> psutil.Process:
    found = [c.pid for c in psutil.Process().children() if any(str(port) == word for word in c.cmdline())]
    return psutil.Process(found[0])


async def _pass(root: Path, process: psutil.Process) -> list[int]:
    log = LocalLog(root)
    await log.open()
    seen = []
    for first in range(0, EVENTS, STEP):
        raws = list(run_events(STEP // 2, 1_000, first=first // 2))
        await log.append(DEFAULT_TOPIC, [Record(raw) for raw in raws])
        while (await log.size(DEFAULT_TOPIC))[1] - _committed(root) > AHEAD:
            await asyncio.sleep(0.05)
        seen.append(process.memory_info().rss)
        if first % 100_000 == 0:
            print(f"{first:,} events, {seen[-1] / 1e6:.0f} MB", file=sys.stderr, flush=True)
    while (await log.size(DEFAULT_TOPIC))[1] > _committed(root):
        await asyncio.sleep(0.2)
    await log.close()
    return seen


def _committed(root: Path) -> int:
    """The next offset that the collector will read after a restart."""
    return SegmentLog(str(root / DEFAULT_TOPIC)).committed("headwater") or 0
