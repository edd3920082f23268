"""Local log to SQLite in one process, beside the limit: decode, hash and bare inserts of the same rows."""

from __future__ import annotations

import asyncio
import sqlite3
import tempfile
import time
from collections.abc import Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any

import orjson

from benchmarks.events import run_events
from benchmarks.report import Measured
from headwater.collector.embedded import Embedded
from headwater.collector.merging.merge import Merged
from headwater.collector.projection import project
from headwater.collector.stores.sql import schema
from headwater.collector.tuning import tune_process
from headwater.shared.codec import decode
from headwater.shared.log import Record

TITLE = "Collector: local log to SQLite"
EVENTS, JOBS, BATCH = 20_000, 100, 500


def run() -> list[Measured]:
    raws = list(run_events(EVENTS // 2, JOBS))
    tune_process()  # as `headwater up` does
    rows = [_rows(raws[start : start + BATCH]) for start in range(0, EVENTS, BATCH)]
    ours, bare = [], []
    for _ in range(3):  # in turn, so that a noisy minute hits both
        ours.append(EVENTS / asyncio.run(_through_the_pipeline(raws)))
        bare.append(EVENTS / _bare(raws, rows))
    best, limit = sorted(ours)[1], sorted(bare)[1]
    return [
        Measured(
            "whole pipeline (log, decode, project, SQLite, settle)", f"{best:,.0f} events/s", "3,000", best >= 3_000
        ),
        Measured("the limit: decode, hash, bare sqlite3 inserts", f"{limit:,.0f} events/s"),
        Measured("share of the limit", f"{best / limit:.2f}"),
        Measured("events", f"{EVENTS:,} of {len(raws[0]):,} bytes, START and COMPLETE, {JOBS} jobs"),
    ]


async def _through_the_pipeline(raws: Sequence[bytes]) -> float:
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as directory:
        embedded = Embedded(Path(directory))
        await embedded.log.open()
        for start in range(0, len(raws), 1000):
            await embedded.log.append(embedded.topics.main, [Record(raw) for raw in raws[start : start + 1000]])
        began = time.perf_counter()
        await embedded.start()
        await embedded.drain()
        took = time.perf_counter() - began
        counts = await embedded.questions.counts()
        await embedded.stop()
    assert counts["events"] == len(raws), counts
    return took


def _rows(raws: Sequence[bytes]) -> list[tuple[str, list[tuple[Any, ...]]]]:
    """The rows that the store writes for this batch, ready to insert."""
    merged, documents = Merged(), []
    for raw in raws:
        event = decode(raw)
        merged.add(project(event).facts)
        documents.append((bytes.fromhex(event.event_id), event.kind, event.event_time, event.event_time, raw))
    return [
        ("INSERT OR IGNORE INTO document (event_id, kind, event_time, received_at, raw) VALUES (?,?,?,?,?)", documents),
        (
            "INSERT OR REPLACE INTO job (key, namespace, name, first_time, last_time) VALUES (?,?,?,?,?)",
            [(key, *row) for key, row in merged.jobs.items()],
        ),
        (
            "INSERT OR REPLACE INTO dataset (key, namespace, name, first_time, last_time, carrier) "
            "VALUES (?,?,?,?,?,0)",
            [(key, *row) for key, row in merged.datasets.items()],
        ),
        (
            "INSERT OR REPLACE INTO run (run, first_time, last_time, job_rank, job_time, job_event, job) "
            "VALUES (?,?,?,?,?,?,?)",
            [(key, *row) for key, row in merged.runs.items()],
        ),
        ("INSERT OR REPLACE INTO run_state VALUES (?,?,?)", list(merged.states)),
        (
            "INSERT OR REPLACE INTO run_io (run, side, dataset, version, time, commit_time) VALUES (?,?,?,?,?,?)",
            [(*key, *times) for key, times in merged.io.items()],
        ),
        ("INSERT OR IGNORE INTO facet_value VALUES (?,?)", list(merged.values.items())),
        (
            "INSERT OR REPLACE INTO facet VALUES (?,?,?,?,?,?,?,?)",
            [(*key, *said) for key, said in merged.facets.items()],
        ),
    ]


def _bare(raws: Sequence[bytes], rows: Sequence[list[tuple[str, list[tuple[Any, ...]]]]]) -> float:
    from sqlalchemy import create_engine

    with tempfile.TemporaryDirectory(dir=Path.cwd()) as directory:
        path = Path(directory) / "bare.db"
        engine = create_engine(f"sqlite:///{path}")
        schema.metadata.create_all(engine)
        engine.dispose()
        connection = sqlite3.connect(path, isolation_level=None)
        connection.executescript("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -65536;")
        began = time.perf_counter()
        for number, batch in enumerate(rows):
            for raw in raws[number * BATCH : (number + 1) * BATCH]:
                canonical = orjson.dumps(orjson.loads(raw), option=orjson.OPT_SORT_KEYS)
                blake2b(canonical, digest_size=16).digest()
            connection.execute("BEGIN IMMEDIATE")
            for statement, values in batch:
                connection.executemany(statement, values)
            connection.execute("COMMIT")
        took = time.perf_counter() - began
        connection.close()
    return took
