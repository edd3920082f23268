"""Promise 2: a committed offset is settled. Attacked with random failures everywhere and restarts in between."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from headwater.collector.breaker import BreakerPolicy
from headwater.shared.errors import LogFullError, PermanentError, TransientError
from headwater.shared.log import Record, StoredRecord, TopicPartition
from headwater.shared.log.memory import MemoryLog

SEED = int(os.environ.get("HEADWATER_SEED", "20261129"))


class FlakyLog(MemoryLog):
    """Appends and commits fail at random; every commit is held against what is durable at that moment."""

    def __init__(self, chance: random.Random, check: Any) -> None:
        super().__init__()
        self.chance, self.check, self.calm = chance, check, False
        self.commits = 0
        self.committed: dict[str, int] = {}

    async def append(self, topic: str, records: Sequence[Record]) -> list[int]:
        if not self.calm and topic != "t" and self.chance.random() < 0.4:
            if len(records) > 1 and self.chance.random() < 0.5:
                await super().append(topic, records[: len(records) // 2])  # a prefix, as the contract allows
            raise self.chance.choice([LogFullError("full"), TransientError("gone")])
        return await super().append(topic, records)

    def consumer(self, group: str, topics: Sequence[str], **more: Any) -> Any:
        inner, log = super().consumer(group, topics), self

        class Consumer:
            async def next_batch(self, **how: Any) -> list[StoredRecord]:
                if not log.calm and log.chance.random() < 0.02:
                    raise TransientError("no broker")
                return await inner.next_batch(**how)

            async def commit(self, offsets: Mapping[TopicPartition, int]) -> None:
                await log.check(offsets)
                log.commits += 1
                if not log.calm and log.chance.random() < 0.3:
                    raise TransientError("commit failed")
                await inner.commit(offsets)

            async def lag(self) -> int:
                return await inner.lag()

            async def seek_to_committed(self) -> None:
                await inner.seek_to_committed()

            async def close(self) -> None:
                await inner.close()

        return Consumer()


@pytest.mark.parametrize("round_", range(6))
async def test_no_commit_passes_an_unsettled_offset(world: Any, good: Any, scripted: Any, round_: int) -> None:
    seed = SEED + round_
    print(f"HEADWATER_SEED={seed}")
    chance = random.Random(seed)
    stores = [scripted("a"), scripted("b")]
    values = [b"poison %d" % n if chance.random() < 0.1 else good(n) for n in range(300)]

    def misbehave(store: Any) -> None:
        write = store.write

        async def flaky(batch: Any) -> None:
            if not log.calm:
                draw = chance.random()
                if draw < 0.15:
                    await write(batch[: len(batch) // 2])  # a part, then the failure
                    raise TransientError("lost")
                if draw < 0.18:
                    raise PermanentError("never")
                if draw < 0.20:
                    await asyncio.sleep(0.002)
            await write(batch)

        store.write = flaky

    async def check(offsets: Mapping[TopicPartition, int]) -> None:
        """Everything before a committed offset is in each store, or waits in a retry topic, or is a dead letter."""
        committed = log.committed | {partition.topic: following for partition, following in offsets.items()}
        waiting = await _diverted(log, committed)
        for partition, following in offsets.items():
            for record in await log.read(partition.topic, 0, max_records=following):
                for store in stores:
                    held = record.value in store.documents.values() or (_origin(record), store.name) in waiting
                    assert held, f"{record.topic}/{record.offset} committed, not in {store.name}"
        log.committed = committed

    log = FlakyLog(chance, check)
    for store in stores:
        misbehave(store)
    sent = 0
    while sent < len(values):
        w = await world(
            *stores,
            log=log,
            max_records=20,
            prepare_ahead=round_ % 2 == 0,
            breaker=BreakerPolicy(failures=4, open_s=0.1),
        )
        part = values[sent : sent + chance.randrange(40, 120)]
        sent += len(part)
        await log.append("t", [Record(value) for value in part])
        await asyncio.sleep(chance.random() * 0.05)
        await w.pipeline.stop(deadline_s=chance.choice([0.0, 5.0]))
    log.calm = True
    w = await world(*stores, log=log)
    assert await w.pipeline.drain(timeout_s=20)
    await check({TopicPartition("t", 0): len(values)})
    assert log.commits > 3


async def _diverted(log: MemoryLog, committed: Mapping[str, int]) -> set[tuple[str, str]]:
    """(origin, store) of what a retry topic will deliver again or the dead letters hold; poison lacks every store."""
    found = set()
    for topic in ("t.retry.1", "t.retry.2", "t.dlq"):
        for record in await log.read(topic, committed.get(topic, 0), max_records=100_000):
            stores = (record.header("headwater-failed-stores") or b"a,b").decode().split(",")
            found |= {(_origin(record), store) for store in stores}
    return found


def _origin(record: StoredRecord) -> str:
    return (record.header("headwater-origin") or f"{record.topic}/{record.partition}/{record.offset}".encode()).decode()
