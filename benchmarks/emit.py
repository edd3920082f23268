"""emit() on the caller's thread: durable in the spool, the sender at work; beside openlineage-python's transports."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.report import Measured

TITLE = "emit() on the caller's thread"
LIMITS_US = {"orjson": 40, "stdlib": 80}
P99_US = 200


def run() -> list[Measured]:
    rows, medians = [], {}
    for engine, limit in LIMITS_US.items():
        found = measure("headwater", HEADWATER_JSON=engine)
        medians[engine] = found["p50"]
        rows.append(
            Measured(f"headwater, {engine}: p50", f"{found['p50']:.1f} µs", f"{limit} µs", found["p50"] <= limit)
        )
        rows.append(
            Measured(f"headwater, {engine}: p99", f"{found['p99']:.0f} µs", f"{P99_US} µs", found["p99"] < P99_US)
        )
    floor = measure("floor")
    rows.append(
        Measured("the floor: one write() of as many bytes: p50 / p99", f"{floor['p50']:.1f} / {floor['p99']:.0f} µs")
    )
    peers = {kind: measure(kind) for kind in ("file", "http", "async_http", "kafka", "kafka_no_flush")}
    for kind, found in peers.items():
        rows.append(Measured(f"openlineage-python, {kind}: p50 / p99", f"{found['p50']:.0f} / {found['p99']:.0f} µs"))
    cheapest = min(found["p50"] for found in peers.values())
    for engine, median in medians.items():
        share = median / cheapest
        rows.append(Measured(f"headwater, {engine}, to the cheapest of them", f"{share:.3f}", "0.1", share <= 0.1))
    return rows


def measure(kind: str, **environment: str) -> dict[str, float]:
    """In a process of its own, so that nothing measured before is still at work."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as directory:
        command = [sys.executable, "-m", "benchmarks.emitting", kind, directory]
        done = subprocess.run(command, env=os.environ | environment, stdout=subprocess.PIPE, check=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found
