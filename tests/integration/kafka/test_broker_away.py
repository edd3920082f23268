"""The broker is down when the application starts, and in the middle: the caller stays fast, everything arrives."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

from headwater.shared.log.kafka import KafkaLog
from tests.promises.events import raw
from tests.promises.processes import Child
from tests.servers.places import KafkaTopics
from tests.support.kafka import quick_settings
from tests.support.workers import Worker

MANY = 1_000
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
        application = Child("tests.integration.kafka.application", FAMILY, str(MANY), "8", env=spool)
        try:
            await asyncio.sleep(2)
            await asyncio.to_thread(broker.start)
            await asyncio.sleep(2)
            await asyncio.to_thread(broker.kill)
            await asyncio.sleep(2)
            await asyncio.to_thread(broker.start)
            said = (await asyncio.to_thread(application.output)).decode().split()
            log = KafkaLog(quick_settings(broker.url))
            assert sorted(await everything(log, topic)) == sorted({raw(FAMILY, number) for number in range(MANY)})
            await until_collected(log, topic)
            await log.close()
            await asyncio.to_thread(worker.stop)
        finally:
            worker.kill()
    slowest_ms, done, emitted, delivered, dropped = said
    assert (done, int(emitted), int(delivered), int(dropped)) == ("True", MANY, MANY, 0)
    assert float(slowest_ms) < 2_000, "an emit waited for the broker"
    lines = application.errors.decode().splitlines()
    assert lines, "an outage of seconds is told once"
    assert max(Counter(line.split(":")[0] for line in lines).values()) == 1, lines


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
