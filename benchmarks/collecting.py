"""The measured process of ``benchmarks.servers``: ``python -m benchmarks.collecting KIND TARGET EVENTS DIR``
finds the servers as tests do and prints events/s and CPU-seconds per 1,000 events."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Any
from uuid import uuid4

import orjson
from tests.servers.finding import VARIABLES
from tests.support import server_stores

from benchmarks.events import run_events
from headwater.collector.logurl import configured_log
from headwater.collector.pipeline import Pipeline
from headwater.collector.policy import RetryPolicy
from headwater.collector.projection import project
from headwater.collector.settings import Settings
from headwater.collector.stores.base import ProjectedEvent
from headwater.collector.stores.composite import CompositeLineageStore
from headwater.collector.topics import Topics
from headwater.collector.tuning import tune_process
from headwater.shared.clock import SystemClock
from headwater.shared.codec import decode
from headwater.shared.event import outline
from headwater.shared.log import Record
from headwater.shared.log.keys import partition_key

BATCH = 1_000
JOBS = 100


async def main(kind: str, target: str, events: int, directory: str) -> None:
    raws = list(run_events(events // 2, JOBS))
    tune_process()  # as `headwater collect` does
    async with AsyncExitStack() as stack:
        stores = await _stores(target, directory, stack)
        took_s, cpu_s = await (_bare if kind == "bare" else _collector)(raws, stores, os.environ[VARIABLES["kafka"]])
    print(json.dumps({"rate": events / took_s, "cpu": cpu_s * 1_000 / events}))


async def _stores(target: str, directory: str, stack: AsyncExitStack) -> list[Any]:
    """Empty and open."""
    if target == "sqlite":
        from headwater.collector.stores.sql import SqlLineageStore

        store = SqlLineageStore(f"sqlite:///{directory}/headwater.db")
        await store.open()
        stack.push_async_callback(store.close)
        return [store]
    makers: dict[str, Any] = {
        "postgres": server_stores.postgres_store,
        "mongo": server_stores.mongo_store,
        "neo4j": server_stores.neo4j_store,
    }
    return [await stack.enter_async_context(makers[name]()) for name in target.split("+")]


async def _bare(raws: Sequence[bytes], stores: list[Any], _: str) -> tuple[float, float]:
    began_s, cpu_s = time.perf_counter(), time.process_time()
    for start in range(0, len(raws), BATCH):
        batch = []
        for raw in raws[start : start + BATCH]:
            event = decode(raw)
            batch.append(ProjectedEvent(outline(event), project(event)))
        await asyncio.gather(*(store.write(batch) for store in stores))
    return time.perf_counter() - began_s, time.process_time() - cpu_s


async def _collector(raws: Sequence[bytes], stores: list[Any], brokers: str) -> tuple[float, float]:
    """From a topic that holds everything: from the first fetch until all is settled and committed."""
    topic = f"benchmark-{uuid4().hex[:12]}"
    lineage = Settings(lineage={"kafka": {"create_topics": True, "partitions": 3}}).lineage  # type: ignore[arg-type]
    log, _ = configured_log(lineage, f"kafka://{brokers}/{topic}", SystemClock())
    await log.open()
    for start in range(0, len(raws), BATCH):
        records = [Record(raw, partition_key(orjson.loads(raw))) for raw in raws[start : start + BATCH]]
        await log.append(topic, records)
    pipeline = Pipeline(
        log,
        CompositeLineageStore(stores, deadline_s=300),
        topics=Topics(topic),
        batches=lineage.collector.batches(),
        retry=RetryPolicy(ladder_s=()),  # the topics of a ladder would be made while the clock runs
    )
    began_s, cpu_s = time.perf_counter(), time.process_time()
    await pipeline.start()
    await pipeline.drain()
    took = time.perf_counter() - began_s, time.process_time() - cpu_s
    await pipeline.stop()
    await log.close()
    return took


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]))
