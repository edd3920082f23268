"""Members that join while their topics are made, that stand still, and a broker that stalls."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from aiokafka.errors import KafkaError

from headwater.shared.errors import TransientError
from headwater.shared.log import Record, TopicPartition
from headwater.shared.log.kafka import KafkaLog
from headwater.shared.log.kafka.consumer import KafkaConsumer
from tests.support.kafka import quick_settings
from tests.support.seeds import FULL, SEED, rng

ROUNDS = 20 if FULL else 2
LANES = ("", ".retry.1", ".retry.2", ".retry.3")
RECORDS = 30
WITHIN_S = 90


async def take(consumer: KafkaConsumer, wanted: set[bytes]) -> None:
    """Until all of them came. Looks at the lag now and then, as a lane does."""
    async with asyncio.timeout(WITHIN_S):
        while wanted:
            batch = await consumer.next_batch(max_records=100, max_bytes=1 << 20, timeout_s=0.3)
            wanted -= {record.value for record in batch}
            await consumer.commit({TopicPartition(r.topic, r.partition): r.offset + 1 for r in batch})
            if not batch:
                await consumer.lag()


async def append(log: KafkaLog, topic: str, values: set[bytes]) -> None:
    """For as long as it takes."""
    while True:
        try:
            await log.append(topic, [Record(value, value) for value in values])
            return
        except TransientError:
            await asyncio.sleep(0.2)


def together(*members: KafkaConsumer) -> bool:
    """Whether they have all been through the same, last rebalance."""
    clients = [member._consumer for member in members]
    if None in clients or any(client._subscription.reassignment_in_progress for client in clients):
        return False
    return len({client._coordinator.generation for client in clients}) == 1


def values(number: int) -> set[bytes]:
    return {b"%d-%d" % (number, n) for n in range(RECORDS)}


async def test_whoever_joins_while_its_topic_is_made_gets_its_records(kafka_topics: Any) -> None:
    """The group has been there before, with other topics: each round joins what the last one left."""
    print(f"HEADWATER_SEED={SEED}")
    random = rng("joining")
    for _ in range(ROUNDS):
        main = kafka_topics.make(partitions=3)
        maker = KafkaLog(quick_settings(kafka_topics.url, partitions=3))
        reader = KafkaLog(quick_settings(kafka_topics.url, create_topics=random.random() < 0.5))
        work: list[Awaitable[None]] = []
        for number, lane in enumerate(LANES):
            topic = main if not lane else kafka_topics.belongs(f"{main}{lane}")
            consumer = reader.consumer(f"joining{lane}", [topic])
            work.append(_later(random.random(), lambda t=topic, n=number, m=maker: append(m, t, values(n))))
            work.append(_later(random.random(), lambda c=consumer, n=number: _read(c, values(n))))
        await asyncio.gather(*work)
        await maker.close()
        await reader.close()


@pytest.mark.soak
async def test_a_broker_that_stalls_until_it_is_fenced_loses_no_member(kafka_topics: Any, own_server: Any) -> None:
    """The machine is too busy for its heartbeats: its partitions lose their leader and their group its coordinator."""
    print(f"HEADWATER_SEED={SEED}")
    random, server = rng("stalls"), own_server("kafka")
    main = kafka_topics.make(partitions=3)
    topics = [main if not lane else kafka_topics.belongs(f"{main}{lane}") for lane in LANES]
    log, writer = (KafkaLog(quick_settings(kafka_topics.url)) for _ in range(2))
    consumers = [log.consumer(f"{topic}.group", [topic]) for topic in topics]

    async def stall(seconds: float) -> None:
        server.pause()
        await asyncio.sleep(seconds)
        server.resume()

    for number in range(ROUNDS):
        work: list[Awaitable[None]] = [
            _later(random.random() * 2, lambda: stall(random.choice((1.0, 2.5, 5.0, 10.0, 20.0))))
        ]
        for topic, consumer in zip(topics, consumers, strict=True):
            work.append(_later(random.random() * 3, lambda t=topic, n=number: append(writer, t, values(n))))
            work.append(_patiently(consumer, values(number)))
        await asyncio.gather(*work)
    for consumer in consumers:
        await consumer.close()
    await writer.close()
    await log.close()


async def test_a_member_that_gets_nothing_of_what_waits_says_so_and_another_gets_it(kafka_topics: Any) -> None:
    topic = kafka_topics.make(partitions=2)
    log = KafkaLog(quick_settings(kafka_topics.url))
    consumer = log.consumer(f"{topic}.group", [topic])
    await append(log, topic, values(0))
    await take(consumer, values(0))
    assert consumer.assigned() == {TopicPartition(topic, 0), TopicPartition(topic, 1)}
    consumer._consumer.pause(*consumer._consumer.assignment())  # aiokafka has lost its way
    consumer.patience_s = 1.0
    await append(log, topic, values(1))
    with pytest.raises(TransientError, match=r"nothing came for 1 s of 30 records that wait, with partitions \[0, 1\]"):
        await take(consumer, values(1))
    await consumer.close()
    assert consumer.assigned() == ()
    following = log.consumer(f"{topic}.group", [topic])
    await take(following, values(1))
    await following.close()
    await log.close()


async def test_a_member_without_partitions_joins_anew_where_nobody_reads(kafka_topics: Any) -> None:
    topic = kafka_topics.make()
    log = KafkaLog(quick_settings(kafka_topics.url))
    reading, idle = (log.consumer(f"{topic}.group", [topic]) for _ in range(2))
    await append(log, topic, values(0))
    await take(reading, values(0))
    for member in (reading, idle):
        member.patience_s = 0.4
    async with asyncio.timeout(WITHIN_S):
        while not together(reading, idle):
            for member in (reading, idle):
                await member.next_batch(max_records=100, max_bytes=1 << 20, timeout_s=0.3)
    without = idle if reading.assigned() else reading
    await append(log, topic, values(1))
    with pytest.raises(TransientError, match="nothing came for 2 s of 30 records that wait, with partitions none"):
        await take(without, values(1))
    for member in (reading, idle):
        await member.close()
    await log.close()


async def test_a_sign_of_life_that_fails_is_told_and_leaves_nothing_paused(kafka_topics: Any) -> None:
    topic = kafka_topics.make()
    log = KafkaLog(quick_settings(kafka_topics.url, max_poll_interval_s=2.0))
    consumer = log.consumer(f"{topic}.group", [topic])
    await append(log, topic, values(0))
    await take(consumer, values(0))
    consumer._consumer._coordinator._pending_exception = KafkaError("no right to the group")
    async with asyncio.timeout(WITHIN_S):
        while consumer._consumer._coordinator._pending_exception is not None:  # noqa: ASYNC110 - no event for it
            await asyncio.sleep(0.05)
    assert consumer._consumer.paused() == set()
    with pytest.raises(TransientError, match="no right to the group"):
        await consumer.next_batch(max_records=1, max_bytes=1, timeout_s=0.1)
    await append(log, topic, values(1))
    await take(consumer, values(1))
    await consumer.close()
    await log.close()


async def test_a_new_producer_keeps_the_topics_in_sight_that_it_knew_from_the_start(kafka_topics: Any) -> None:
    """Or it forgets the first topic's leaders when it learns of a second one, and what is sent there expires."""
    log = KafkaLog(quick_settings(kafka_topics.url))
    topics = [kafka_topics.make() for _ in range(2)]
    producer = await log._appender._started(topics[0], "")
    await producer.client.force_metadata_update()
    for topic in topics:
        await log.append(topic, [Record(b"v")])
    assert producer.client._topics == set(topics)
    await log.close()


async def _later(seconds: float, work: Callable[[], Awaitable[None]]) -> None:
    await asyncio.sleep(seconds)
    await work()


async def _read(consumer: KafkaConsumer, wanted: set[bytes]) -> None:
    await take(consumer, wanted)
    await consumer.close()


async def _patiently(consumer: KafkaConsumer, wanted: set[bytes]) -> None:
    """A commit or a look may fail while the broker stalls."""
    async with asyncio.timeout(WITHIN_S):
        while wanted:
            try:
                await take(consumer, wanted)
            except TransientError:
                await asyncio.sleep(0.2)
