"""Members join and leave under load: no committed offset that is not settled, nothing lost."""

from __future__ import annotations

import asyncio
import os
from typing import Any

from tests.support.members import event, records
from tests.support.seeds import rng

MANY = 2_000


async def test_work_in_hand_is_committed_before_its_partitions_go(
    kafka_topics: Any, member: Any, watched: Any, until: Any
) -> None:
    topic = kafka_topics.make(partitions=4)
    store = watched.store
    store.gate.clear()
    first = await member(topic)
    await first.log.append(topic, records([event(n) for n in range(100)]))
    await until(lambda: store.begun == 1)
    second = await member(topic)
    await until(lambda: len(first.log.revoked) == 1)
    store.gate.set()
    await until(lambda: len(store.raws) == 100 and sum(watched.committed.values()) == 100)
    assert await first.pipeline.drain(timeout_s=20)
    assert max(watched.times.values()) == 1, "somebody read again what was settled"
    assert second.log.revoked == []
    assert watched.faults == []


async def test_what_settles_after_its_partition_went_commits_nothing(
    kafka_topics: Any, member: Any, watched: Any, until: Any
) -> None:
    topic = kafka_topics.make(partitions=4)
    store = watched.store
    store.gate.clear()
    first = await member(topic, revoke_wait_s=0.1)
    await first.log.append(topic, records([event(n) for n in range(100)]))
    await until(lambda: store.begun == 1)
    await member(topic, revoke_wait_s=0.1)
    await until(lambda: store.begun == 2)  # the second member reads again what the first has in hand
    assert sum(watched.committed.values()) == 0
    store.gate.set()
    await until(lambda: sum(watched.committed.values()) == 100)
    assert await first.pipeline.drain(timeout_s=20)
    assert len(store.raws) == 100
    assert watched.faults == []


async def test_members_that_come_and_go_lose_nothing(kafka_topics: Any, member: Any, watched: Any, until: Any) -> None:
    random = rng("rebalance")
    many = MANY * (10 if os.environ.get("HEADWATER_FULL") else 1)
    topic = kafka_topics.make(partitions=6)
    store = watched.store
    store.delay_s = lambda: random.uniform(0, 0.03)
    members = [await member(topic, prepare_ahead=True), await member(topic)]
    log = members[0].log

    async def feed() -> None:
        for start in range(0, many, 50):
            await log.append(topic, records([event(n) for n in range(start, start + 50)]))
            await asyncio.sleep(random.uniform(0, 0.2))

    feeding = asyncio.create_task(feed())
    while not feeding.done():
        await asyncio.sleep(random.uniform(0.2, 1.0))
        if len(members) > 1 and random.random() < 0.5:
            await members.pop(random.randrange(1, len(members))).stop()
        elif len(members) < 4:
            members.append(await member(topic, prepare_ahead=random.random() < 0.5))
    await feeding
    await until(lambda: sum(watched.committed.values()) == many)
    assert len(store.raws) == many
    assert watched.faults == []
