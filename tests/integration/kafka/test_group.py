"""A member that is busy, and topics that are made."""

from __future__ import annotations

import asyncio
from typing import Any

from confluent_kafka.admin import AdminClient, ConfigResource

from headwater.shared.log import Record, TopicPartition
from headwater.shared.log.kafka import KafkaLog
from tests.support.kafka import quick_settings


async def test_a_member_that_is_busy_for_longer_than_the_poll_interval_keeps_its_partitions(kafka_topics: Any) -> None:
    topic = kafka_topics.make(partitions=2)
    log = KafkaLog(quick_settings(kafka_topics.url, max_poll_interval_s=2.0))
    revoked: list[Any] = []

    async def on_revoke(places: Any) -> None:
        revoked.append(places)

    consumer = log.consumer(f"{topic}.group", [topic], on_revoke=on_revoke)
    await log.append(topic, [Record(b"%d" % n, b"%d" % n) for n in range(100)])
    batch = await consumer.next_batch(max_records=10, max_bytes=1 << 20, timeout_s=30)
    await asyncio.sleep(5)
    ends = {TopicPartition(r.topic, r.partition): r.offset + 1 for r in batch}
    await consumer.commit(ends)
    assert revoked == []
    assert await consumer.lag() == 100 - len(batch)
    seen = {(r.partition, r.offset) for r in batch}
    while len(seen) < 100:
        more = await consumer.next_batch(max_records=100, max_bytes=1 << 20, timeout_s=30)
        assert not seen & {(r.partition, r.offset) for r in more}, "read twice"
        seen |= {(r.partition, r.offset) for r in more}
    await consumer.close()
    await log.close()


async def test_topics_are_made_with_sane_settings(kafka_topics: Any) -> None:
    main = kafka_topics.make(max_message_bytes=2_000_000)
    names = [f"{main}.retry.1", f"{main}.dlq", f"{main}.other"]
    for name in names:
        kafka_topics.belongs(name)
    log = KafkaLog(quick_settings(kafka_topics.url, partitions=4, retention_s=3600, replication_factor=-1))
    await log.ensure(names)
    await log.ensure(names)
    assert [await log.partitions(name) for name in names] == [4, 1, 4]
    admin = AdminClient({"bootstrap.servers": kafka_topics.url, "log_level": 0})
    resources = [ConfigResource(ConfigResource.Type.TOPIC, name) for name in names]
    told = admin.describe_configs(resources)
    retry, dead, other = (told[resource].result(20) for resource in resources)
    assert (retry["retention.ms"].value, dead["retention.ms"].value) == ("3600000", "-1")
    assert int(retry["max.message.bytes"].value) == int(dead["max.message.bytes"].value) == 2_000_000 + 128 * 1024
    assert int(other["max.message.bytes"].value) < 2_000_000
    await log.close()
