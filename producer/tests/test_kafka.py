"""The Kafka transport, on a real broker."""

from __future__ import annotations

import asyncio
import json
import os
import random
from collections.abc import Callable
from typing import Any

import pytest
from tests.servers.fixtures import kafka_topics, kafka_url  # noqa: F401

from headwater.producer import ConfigurationError, LineageProducer
from headwater.shared.log.kafka import KafkaLog, kafka_settings

Make = Callable[..., LineageProducer]
QUICK = {"append_timeout_s": 5, "request_timeout_s": 5}


def body(number: int, **more: Any) -> dict[str, Any]:
    run = {"runId": f"00000000-0000-7000-8000-{number:012x}"}
    return {"eventType": "COMPLETE", "run": run, "job": {"namespace": "n", "name": f"j{number % 7}"}} | more


def read(url: str, topic: str, partitions: int = 1) -> list[Any]:
    """Everything in the topic."""

    async def all_of_it() -> list[Any]:
        log = KafkaLog(kafka_settings((url,), {}, {}))
        found = []
        for partition in range(partitions):
            found += await log.read(topic, 0, max_records=10_000, partition=partition)
        await log.close()
        return found

    return asyncio.run(all_of_it())


def test_events_arrive_with_key_and_time_of_sending(make_producer: Make, kafka_topics: Any) -> None:  # noqa: F811
    topic = kafka_topics.make(partitions=3)
    producer = make_producer(url=f"kafka://{kafka_topics.url}/{topic}", kafka=QUICK)
    for number in range(500):
        assert producer.emit(body(number, eventTime="2001-01-01T00:00:00Z"))
    assert producer.flush(timeout_s=30)
    assert producer.shutdown()
    found = read(kafka_topics.url, topic, 3)
    assert sorted(json.loads(record.value)["run"]["runId"] for record in found) == sorted(
        body(number)["run"]["runId"] for number in range(500)
    )
    for record in found:
        job = json.loads(record.value)["job"]
        assert record.key == f"run:{job['namespace']}/{job['name']}".encode()
        assert record.timestamp_ms > 1_700_000_000_000
    assert len({(record.key, record.partition) for record in found}) == 7, "a job is in one partition"


def test_what_the_broker_refuses_is_dropped_and_the_rest_goes_on(make_producer: Make, kafka_topics: Any) -> None:  # noqa: F811
    topic = kafka_topics.make(max_message_bytes=100_000)
    producer = make_producer(url=f"kafka://{kafka_topics.url}", collector_topic=topic, kafka=QUICK)
    noise = random.Random(7).randbytes(300_000).hex()
    for number in range(60):
        assert producer.emit(body(number, noise=noise) if number in (3, 41) else body(number))
    assert producer.flush(timeout_s=60)
    stats = producer.stats()
    assert (stats.delivered, stats.dropped) == (58, {"refused": 2})
    assert "max.message.bytes" in str(stats.last_error)
    assert len({record.value for record in read(kafka_topics.url, topic)}) == 58


def test_a_topic_that_is_missing_is_named_and_waited_for(make_producer: Make, kafka_topics: Any) -> None:  # noqa: F811
    topic = "headwater.later." + os.urandom(6).hex()
    producer = make_producer(url=f"kafka://{kafka_topics.url}/{topic}", kafka=QUICK)
    producer.emit(body(1))
    assert not producer.flush(timeout_s=3)
    assert f"topic {topic} does not exist" in str(producer.stats().last_error)
    kafka_topics.make(topic)
    assert producer.flush(timeout_s=30)
    assert len(read(kafka_topics.url, topic)) == 1


async def test_it_closes_inside_a_running_loop(make_producer: Make, kafka_topics: Any) -> None:  # noqa: F811
    topic = kafka_topics.make()
    producer = make_producer(url=f"kafka://{kafka_topics.url}/{topic}", kafka=QUICK)
    producer.emit(body(1))
    assert producer.flush(timeout_s=30)
    assert producer.shutdown()
    producer.emit(body(2))
    assert producer.flush(timeout_s=30)
    assert producer.shutdown()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_sends_its_own_and_leaves_the_parents_connection_alone(
    python: Any,
    kafka_topics: Any,  # noqa: F811
) -> None:
    topic = kafka_topics.make()
    script = """
        import os, sys, warnings
        from headwater.producer import configure, emit, flush, shutdown
        url, = sys.argv[1:]
        configure(url=url)
        def event(n):
            return {"run": {"runId": f"00000000-0000-7000-8000-{n:012x}"}, "job": {"namespace": "n", "name": "j"}}
        assert emit(event(0)) and flush(timeout_s=30)
        for child in range(1, 4):
            pid = os.fork()
            if not pid:
                ok = emit(event(child)) and flush(timeout_s=30)
                shutdown()
                sys.exit(0 if ok else 1)
            assert os.waitpid(pid, 0)[1] == 0
            assert emit(event(100 + child)) and flush(timeout_s=30), "the parent's connection is dead"
        shutdown()
    """
    done = python(script, f"kafka://{kafka_topics.url}/{topic}")
    assert done.stderr == ""
    assert len({record.value for record in read(kafka_topics.url, topic)}) == 7


@pytest.mark.parametrize(
    ("settings", "key"),
    [
        ({"url": "kafka://h:x/t"}, "url"),
        ({"url": "kafka://h/t", "kafka": {"security_protocol": "TLS"}}, r"lineage\.kafka\.security_protocol"),
        ({"url": "kafka://h", "collector_topic": "a b"}, "topic"),
        ({"url": "kafka://h/t", "kafka": 5}, "kafka"),
    ],
)
def test_a_wrong_setting_is_told_at_once(make_producer: Make, settings: dict[str, Any], key: str) -> None:
    with pytest.raises(ConfigurationError, match=key):
        make_producer(**settings)
