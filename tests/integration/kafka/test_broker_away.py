"""The broker is down when the application starts, and in the middle: the caller stays fast, everything arrives."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Any

from headwater.shared.log.kafka import KafkaLog
from tests.promises.events import raw
from tests.promises.processes import Child
from tests.servers.places import KafkaTopics
from tests.support.kafka import quick_settings
from tests.support.seeds import FULL
from tests.support.workers import Worker

MANY = 20_000 if FULL else 1_000
AWAY_S = 600 if FULL else 11
"""In the middle."""
EMITTING_S = AWAY_S + 60 if FULL else 16
FAMILY = "broker-away"


async def test_down_at_the_start_and_in_the_middle(own_server: Any, tmp_path: Path) -> None:
    broker = own_server("kafka")
    with KafkaTopics(broker.url) as topics:
        topic = topics.make(partitions=2)
        url = f"kafka://{broker.url}/{topic}"
        for name in (*(f"{topic}.retry.{n}" for n in (1, 2, 3)), f"{topic}.dlq"):
            topics.belongs(name)
        await asyncio.to_thread(broker.kill)
        database = f"sqlite:///{tmp_path}/h.db"
        store = {"HEADWATER_STORE": "sql", "HEADWATER_LINEAGE__STORE__SQL__URL": database}
        worker = Worker(tmp_path, url, store=store)
        spool = {"HEADWATER_URL": url, "HEADWATER_SPOOL": str(tmp_path / "spool"), "HEADWATER_APPLICATION": "app"}
        application = Child("tests.integration.kafka.application", FAMILY, str(MANY), str(EMITTING_S), env=spool)
        try:
            await asyncio.sleep(2)
            await asyncio.to_thread(broker.start)
            await asyncio.sleep(2)
            await asyncio.to_thread(broker.kill)
            await asyncio.sleep(AWAY_S)
            await asyncio.to_thread(broker.start)
            said = json.loads(await asyncio.to_thread(application.output, timeout_s=EMITTING_S + 180))
            log = KafkaLog(quick_settings(broker.url))
            assert sorted(await everything(log, topic)) == sorted({raw(FAMILY, number) for number in range(MANY)})
            await until_collected(log, topic)
            await log.close()
            await asyncio.to_thread(worker.stop)
        finally:
            worker.kill()
    assert said == {"flushed": True, "emitted": MANY, "delivered": MANY, "dropped": 0, "network": []}, said
    lines = application.errors.decode().splitlines()
    assert lines, "an outage of seconds is told once"
    kinds = Counter(line.split(":")[0] for line in lines)
    assert max(kinds.values()) <= 1 + EMITTING_S // 60, lines


async def everything(log: KafkaLog, topic: str) -> set[bytes]:
    found: set[bytes] = set()
    for partition in range(await log.partitions(topic)):
        offset = 0
        while records := await log.read(topic, offset, max_records=500, partition=partition):
            found.update(record.value for record in records)
            offset = records[-1].offset + 1
    return found


async def until_collected(log: KafkaLog, topic: str) -> None:
    async with asyncio.timeout(90):
        while await log.lag("workers", topic):  # noqa: ASYNC110 - the broker has no event of it
            await asyncio.sleep(0.2)
