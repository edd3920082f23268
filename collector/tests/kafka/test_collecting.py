"""From Kafka to the stores, whoever wrote the events: OpenLineage's own client, any other, the API."""

from __future__ import annotations

import asyncio
import json
import uuid
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.support.members import event

from headwater.collector.api import create_app
from headwater.collector.cli.checking.check import Verdict
from headwater.collector.cli.checking.kafka import kafka
from headwater.collector.collecting import Collecting
from headwater.collector.deadletters import Filters
from headwater.collector.serving import Serving
from headwater.collector.settings import Settings
from headwater.shared.errors import ConfigurationError
from headwater.shared.log import Record

QUICK = {
    "metadata_max_age_s": 1,
    "session_timeout_s": 6,
    "partitions": 3,
    "request_timeout_s": 5,
    "append_timeout_s": 5,
}


@pytest.fixture
def settings(kafka_topics: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Of one topic, not made yet, and one SQLite database."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HEADWATER_URL", raising=False)
    topic = f"headwater.test.{uuid.uuid4().hex[:12]}"
    for name in (topic, *(f"{topic}.retry.{n}" for n in (1, 2, 3)), f"{topic}.dlq"):
        kafka_topics.belongs(name)

    def make(**kafka: Any) -> Settings:
        return Settings(
            lineage={
                "url": f"kafka://{kafka_topics.url}/{topic}",
                "kafka": QUICK | {"create_topics": True} | kafka,
                "store": {"backend": "sql", "sql": {"url": f"sqlite:///{tmp_path}/h.db"}},
            }
        )

    return make


async def test_what_others_write_is_read_and_the_rest_is_kept(settings: Any, kafka_topics: Any) -> None:
    from confluent_kafka import Producer
    from openlineage.client.event_v2 import Job, Run, RunEvent, RunState
    from openlineage.client.transport.kafka import KafkaConfig, KafkaTransport

    run_id = str(uuid.uuid4())
    async with Collecting(settings()) as collecting:
        topic = collecting.topics.main
        await collecting.log.ensure([topic])
        transport = KafkaTransport(KafkaConfig(config={"bootstrap.servers": kafka_topics.url}, topic=topic))
        for state in (RunState.START, RunState.COMPLETE):
            transport.emit(
                RunEvent(
                    eventType=state, eventTime="2026-01-01T00:00:00Z", run=Run(runId=run_id),
                    job=Job(namespace="ol", name="own client"), producer="https://example.org",
                )
            )  # fmt: skip
        transport.close()
        raw = Producer({"bootstrap.servers": kafka_topics.url})
        raw.produce(topic, event(1), key=b"anything", headers=[("traceparent", b"00")])
        raw.produce(topic, json.dumps(json.loads(event(2)), indent=2))
        poison = [b"\x00\xff", b"{}", b"[" * 5000]
        for value in (*poison, None):
            raw.produce(topic, value, key=b"k", headers=[("h", b"\xff"), ("h", None)])
        raw.flush(10)
        assert await collecting.pipeline.drain(timeout_s=60)
        reader = collecting.manager.reader()
        assert (await reader.counts())["events"] == 4

        letters = await collecting.dead_letters.list()
        assert sorted(letter.envelope.value for letter in letters.letters) == sorted([*poison, b""])
        assert {letter.envelope.key for letter in letters.letters} == {b"k"}
        assert letters.letters[0].envelope.headers == (("h", b"\xff"), ("h", b""))
        assert {letter.envelope.topic for letter in letters.letters} == {topic}
        first = letters.letters[0].id
        assert await collecting.dead_letters.purge(Filters(frozenset((letters.letters[1].id,)))) == 1
        assert (await collecting.log.size(collecting.topics.dead_letters))[0] == first  # an open one stands before it
        assert await collecting.dead_letters.purge(Filters(frozenset((first,)))) == 1
        assert (await collecting.log.size(collecting.topics.dead_letters))[0] == letters.letters[2].id
        assert await collecting.dead_letters.show(first) is None
        assert await collecting.dead_letters.replay(limit=2) == 2
        assert await collecting.pipeline.drain(timeout_s=60)
        states = [letter.state for letter in (await collecting.dead_letters.list(Filters(state=None))).letters]
        assert sorted(states) == ["open"] * 2 + ["replayed"] * 2
        assert (await collecting.readiness()).ready


async def test_the_api_answers_once_the_brokers_have_it(settings: Any) -> None:
    async with Serving(settings()) as serving, Collecting(settings()) as collecting:
        transport = httpx.ASGITransport(app=create_app(serving))
        async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
            headers = {"content-type": "application/json"}
            one = await client.post("/api/v1/lineage", content=event(1), headers=headers)
            assert (one.status_code, one.content) == (201, b"")
            first, following = 0, 0
            for partition in range(3):
                low, high = await serving.log.size(serving.topic, partition=partition)
                first, following = first + low, following + high
            assert (first, following) == (0, 1)
            large = event(3, producer="https://example.org/" + uuid.uuid4().hex + _random_text(2_000_000))
            body = b"[" + b",".join((event(2), large, b"{}", event(4))) + b"]"
            told = (await client.post("/api/v1/lineage/batch", content=body, headers=headers)).json()
            assert told["status"] == "partial_success"
            assert told["summary"]["successful"] == told["summary"]["pending"] == 2
            assert [failed["index"] for failed in told["failed_events"]] == [1, 2]
            refused = await client.post("/api/v1/lineage", content=large, headers=headers)
            assert refused.status_code == 413
            assert "max.message.bytes" in refused.json()["message"]
            assert (await client.get("/readyz")).status_code == 200
            assert await collecting.pipeline.drain(timeout_s=60)
            assert (await client.get("/api/v1/namespaces/jobs/jobs/job-2")).status_code == 200


async def test_doctor_looks_at_the_topics_settings(settings: Any, kafka_topics: Any) -> None:
    async with Collecting(settings()) as collecting:
        topics = collecting.topics
        await collecting.log.ensure([topics.main, *map(topics.retry, (1, 2, 3)), topics.dead_letters])
        lineage = collecting.settings.lineage
        well = await kafka(lineage.url, lineage, 60.0)
        assert [check for check in well if check.verdict is not Verdict.OK] == []
        [told] = [check for check in well if check.name == "topic settings"]
        assert told.seen.endswith("kept for 168 h")
        assert "larger events are refused" in told.remedy
    other = f"headwater.test.{uuid.uuid4().hex[:12]}"
    for name in (other, *(f"{other}.retry.{n}" for n in (1, 2, 3)), f"{other}.dlq"):
        kafka_topics.make(name, max_message_bytes=1_048_588)
    wrong = await kafka(f"kafka://{kafka_topics.url}/{other}", lineage, 60.0)
    faults = {(check.name, check.remedy) for check in wrong if check.verdict is Verdict.WRONG}
    assert (f"topic {other}.dlq", "set retention.ms=-1") in faults
    assert (f"topic {other}.dlq", "set max.message.bytes=1179660") in faults


async def test_topics_that_are_missing_are_named_with_the_remedy(settings: Any) -> None:
    async with Serving(settings(create_topics=False)) as serving, Collecting(settings(create_topics=False)) as worker:
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app=create_app(serving)), base_url="http://test"
        ) as client:
            answer = await client.post(
                "/api/v1/lineage", content=event(1), headers={"content-type": "application/json"}
            )
        assert answer.status_code == 503
        assert f"topic {serving.topic} does not exist" in answer.json()["message"]
        assert "create_topics = true" in answer.json()["message"]
        async with asyncio.timeout(30):
            while "topics" not in (readiness := await worker.readiness()).checks:  # noqa: ASYNC110 - has no event
                await asyncio.sleep(0.05)
        assert not readiness.ready
        assert serving.topic in readiness.checks["topics"]


async def test_a_log_must_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("HEADWATER_URL", raising=False)
    with pytest.raises(ConfigurationError, match=r"lineage.url.*kafka://"):
        Collecting(Settings())


async def test_an_envelope_over_the_limit_of_its_event_is_still_taken(settings: Any) -> None:
    async with Collecting(settings()) as collecting:
        poison = b"{" + _random_text(1_040_000).encode()
        await collecting.log.append(collecting.topics.main, [Record(poison)])
        assert await collecting.pipeline.drain(timeout_s=60)
        assert [letter.envelope.value for letter in (await collecting.dead_letters.list()).letters] == [poison]


def _random_text(size: int) -> str:
    """What no compression makes much smaller."""
    import base64
    import random

    return base64.b85encode(random.Random(7).randbytes(size * 4 // 5)).decode().replace('"', "'").replace("\\", "/")


async def test_the_offset_is_held_while_the_dead_letters_cannot_be_written(settings: Any, kafka_topics: Any) -> None:
    async with Collecting(settings(create_topics=False)) as collecting:
        topics = collecting.topics
        for name in (topics.main, *map(topics.retry, (1, 2, 3))):
            kafka_topics.make(name, partitions=1, max_message_bytes=3_000_000)
        await collecting.log.append(topics.main, [Record(b"poison"), Record(event(1))])
        async with asyncio.timeout(30):
            while "cannot be written" not in (await collecting.readiness()).checks["lane main"]:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        assert await collecting.log.lag("headwater", topics.main) == 2
        kafka_topics.make(topics.dead_letters)
        assert await collecting.pipeline.drain(timeout_s=60)
        assert [letter.envelope.value for letter in (await collecting.dead_letters.list()).letters] == [b"poison"]
        async with asyncio.timeout(60):
            while not (await collecting.readiness()).ready:  # noqa: ASYNC110
                await asyncio.sleep(0.05)
