"""A collector from Kafka to each store, everything new, beside a bare loader: the same store and the same batches, with
no pipeline and no log around it. Real servers, on the same cores."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks import emit
from benchmarks.report import Measured

TITLE = "Collector: Kafka to each store"
EVENTS = int(os.environ.get("BENCHMARK_EVENTS", "30000"))
"""So many that joining the consumer group, half a second once, does not count; a third of it for Neo4j."""
ROUNDS = int(os.environ.get("BENCHMARK_ROUNDS", "2"))
GOALS = {"sqlite": 3_000, "postgres": 2_000, "mongo": 2_000, "neo4j": 800, "mongo+neo4j": None}
SHARE = 0.8


def run() -> list[Measured]:
    from tests.servers import VARIABLES, find

    urls = {VARIABLES[name]: find(name) for name in ("kafka", "postgres", "mongo", "neo4j")}
    rows = []
    for target, goal in GOALS.items():
        ours, bare = [], []
        for _ in range(ROUNDS):  # in turn, so that a noisy minute hits both
            bare.append(_measure("bare", target, urls))
            ours.append(_measure("collector", target, urls))
        best, loader = (max(each, key=lambda found: found["rate"]) for each in (ours, bare))
        share = best["rate"] / loader["rate"]
        rows += [
            Measured(
                f"{target}: collector",
                f"{best['rate']:,.0f} events/s, {best['cpu']:.2f} CPU-s per 1,000",
                "" if goal is None else f"{goal:,}",
                None if goal is None else best["rate"] >= goal,
            ),
            Measured(f"{target}: bare loader", f"{loader['rate']:,.0f} events/s, {loader['cpu']:.2f} CPU-s per 1,000"),
            Measured(f"{target}: share of the bare loader", f"{share:.2f}", f"{SHARE:.2f}", share >= SHARE),
        ]
    return [*rows, *_emits(urls)]


def _emits(urls: dict[str, str]) -> list[Measured]:
    """Against one broker: ours with the sender at work, theirs as it comes and without its flush."""
    from tests.servers import VARIABLES
    from tests.servers.places import KafkaTopics

    rows = []
    with KafkaTopics(urls[VARIABLES["kafka"]]) as topics:
        topic = topics.make()
        for what, kind in {
            "headwater, to Kafka": "headwater_kafka",
            "openlineage-python, kafka": "kafka",
            "openlineage-python, kafka without flush": "kafka_no_flush",
        }.items():
            found = emit.measure(kind, BENCHMARK_TOPIC=topic, **urls)
            rows.append(Measured(f"emit(), {what}: p50 / p99", f"{found['p50']:.0f} / {found['p99']:.0f} µs"))
    return rows


def _measure(kind: str, target: str, urls: dict[str, str]) -> dict[str, Any]:
    """In a process of its own; CPU seconds are that process's, not the servers'."""
    events = EVENTS // 3 if "neo4j" in target else EVENTS
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as directory:
        command = [sys.executable, "-m", "benchmarks.collecting", kind, target, str(events), directory]
        done = subprocess.run(command, env=os.environ | urls, text=True, stdout=subprocess.PIPE, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found
