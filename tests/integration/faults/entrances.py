"""Every way into headwater, told alike: events go in, and what was stored and what was refused comes out."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import httpx
from confluent_kafka import Producer

from headwater.collector.api import create_app
from headwater.collector.collecting import Collecting
from headwater.collector.deadletters import DeadLetters
from headwater.collector.embedded import Embedded
from headwater.collector.questions import Questions
from headwater.collector.serving import Serving
from headwater.collector.settings import Settings
from headwater.collector.stores.reading import EventFilter
from headwater.producer import LineageProducer
from tests.servers.places import KafkaTopics
from tests.support.collector import clean_environment

JSON = {"content-type": "application/json"}
LIMIT_BYTES = 24 * 1024 * 1024
"""Of the topics here: more than an event may have."""


class Room(NamedTuple):
    """Where one entrance leads: a directory, and a topic that is not made yet."""

    directory: Path
    topics: KafkaTopics
    limit_bytes: int = LIMIT_BYTES


class Verdict(NamedTuple):
    """What became of the events."""

    stored: dict[str, bytes]
    """By event id, as they are read back."""
    reasons: Counter[str]
    """Of those refused, in the words of the entrance; of a dead letter, its reason."""
    fingerprint: str


Entrance = Callable[[Room, Sequence[bytes]], Awaitable[Verdict]]


async def http(room: Room, events: Sequence[bytes]) -> Verdict:
    """POST /api/v1/lineage of ``headwater up``."""
    async with Embedded(room.directory) as embedded, client_of(embedded) as client:
        reasons: Counter[str] = Counter()
        for event in events:
            answer = await client.post("/api/v1/lineage", content=event, headers=JSON)
            if answer.status_code != 201:
                reasons[f"HTTP {answer.status_code}"] += 1
                assert answer.json()["message"]
        await embedded.readable()  # as every request that reads does
        return await verdict(embedded.questions, embedded.dead_letters, reasons)


async def batch(room: Room, events: Sequence[bytes]) -> Verdict:
    """POST /api/v1/lineage/batch of ``headwater serve``, through Kafka."""
    async with collecting(room) as collector, Serving(collector.settings) as serving, client_of(serving) as client:
        reasons: Counter[str] = Counter()
        for at in range(0, len(events), 20):
            await post_batch(client, list(events[at : at + 20]), reasons)
        return await collected(collector, reasons)


async def post_batch(client: httpx.AsyncClient, events: list[bytes], reasons: Counter[str]) -> None:
    """What makes no array together with others is found by halving, as a client would."""
    answer = await client.post("/api/v1/lineage/batch", content=b"[" + b",".join(events) + b"]", headers=JSON)
    told = answer.json()
    if answer.status_code in (200, 207):
        failed = told.get("failed_events") or []
        assert told["summary"]["received"] == len(events), told
        reasons.update("a failed event" for each in failed if each["reason"] and not each["retriable"])
    elif len(events) > 1:
        half = len(events) // 2
        await post_batch(client, events[:half], reasons)
        await post_batch(client, events[half:], reasons)
    else:
        assert 400 <= answer.status_code < 500, answer.text
        assert told["message"]
        reasons[f"HTTP {answer.status_code}"] += 1


async def command(room: Room, events: Sequence[bytes]) -> Verdict:
    """``headwater emit`` of a file for each event, to Kafka."""
    async with collecting(room) as collector:
        files = []
        for number, event in enumerate(events):
            files.append(room.directory / f"{number}.json")
            files[-1].write_bytes(event)
        topic = collector.topics.main
        told = await emitted(room.directory, f"kafka://{room.topics.url}/{topic}", files)
        assert all(refusal["message"] for refusal in told["refusals"])
        by_file = {refusal["file"]: refusal["reason"] for refusal in told["refusals"]}  # bytes may be several pieces
        return await collected(collector, Counter(by_file.values()))


async def emitted(directory: Path, url: str, files: Sequence[Path]) -> Any:
    """What the command says as JSON."""
    parts = ("-m", "headwater.collector.cli", "emit", "--json", "--url", url, *map(str, files))
    environment = clean_environment(HEADWATER_LINEAGE__KAFKA__CREATE_TOPICS="true")
    process = await asyncio.create_subprocess_exec(
        sys.executable, *parts, env=environment, cwd=directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    out, errors = await process.communicate()
    assert out, errors.decode()
    return json.loads(out)


async def records(room: Room, events: Sequence[bytes]) -> Verdict:
    """Kafka records of another client."""
    async with collecting(room) as collector:
        options = {"bootstrap.servers": room.topics.url, "message.max.bytes": LIMIT_BYTES}
        producer = Producer(options)
        for event in events:
            producer.produce(collector.topics.main, event)
        assert await asyncio.to_thread(producer.flush, 60) == 0
        return await collected(collector, Counter())


async def producer_to_kafka(room: Room, events: Sequence[bytes]) -> Verdict:
    """``emit()`` with the Kafka transport."""
    async with collecting(room) as collector:
        url = f"kafka://{room.topics.url}/{collector.topics.main}"
        reasons = await asyncio.to_thread(emit_all, room.directory / "spool", url, events)
        return await collected(collector, reasons)


async def producer_to_file(room: Room, events: Sequence[bytes]) -> Verdict:
    """``emit()`` into the local log, which ``headwater up`` reads afterwards."""
    url = f"file://{room.directory}/log"
    reasons = await asyncio.to_thread(emit_all, room.directory / "spool", url, events)
    async with Embedded(room.directory) as embedded:
        assert await embedded.drain(timeout_s=120)
        return await verdict(embedded.questions, embedded.dead_letters, reasons)


def emit_all(spool: Path, url: str, events: Sequence[bytes]) -> Counter[str]:
    """Reasons why events were dropped; all others were delivered."""
    producer = LineageProducer(url=url, spool_dir=spool)
    taken = sum(producer.emit(event) for event in events)
    assert producer.flush(timeout_s=120)
    stats = producer.stats()
    producer.shutdown()
    dropped = Counter({str(reason): count for reason, count in stats.dropped.items() if count})
    assert stats.emitted == len(events) == stats.delivered + dropped.total()
    assert taken >= stats.delivered
    return dropped


ENTRANCES: dict[str, Entrance] = {
    "HTTP": http,
    "HTTP batch": batch,
    "headwater emit": command,
    "Kafka": records,
    "producer to Kafka": producer_to_kafka,
    "producer to the local log": producer_to_file,
}


@asynccontextmanager
async def collecting(room: Room) -> AsyncIterator[Collecting]:
    """A collector of a fresh topic, with SQLite."""
    topic = room.topics.make(partitions=2, max_message_bytes=room.limit_bytes)
    for name in (*(f"{topic}.retry.{rung}" for rung in (1, 2, 3)), f"{topic}.dlq"):
        room.topics.belongs(name)
    kafka = {"metadata_max_age_s": 1, "session_timeout_s": 6, "create_topics": True}
    store = {"backend": "sql", "sql": {"url": f"sqlite:///{room.directory}/h.db"}}
    url = f"kafka://{room.topics.url}/{topic}"
    async with Collecting(Settings(lineage={"url": url, "kafka": kafka, "store": store})) as collector:
        yield collector


@asynccontextmanager
async def client_of(services: Any) -> AsyncIterator[httpx.AsyncClient]:
    """Asks the API without a network between."""
    transport = httpx.ASGITransport(app=create_app(services))
    async with httpx.AsyncClient(transport=transport, base_url="http://test", timeout=120) as client:
        yield client


async def collected(collector: Collecting, reasons: Counter[str]) -> Verdict:
    """Once all is settled."""
    assert await collector.pipeline.drain(timeout_s=120)
    return await verdict(Questions(collector.manager.reader()), collector.dead_letters, reasons)


async def verdict(questions: Questions, letters: DeadLetters, reasons: Counter[str]) -> Verdict:
    _, documents = await questions.events(EventFilter(), limit=10_000)
    dead = Counter(letter.failure.reason for letter in (await letters.list(limit=10_000)).letters)
    stored = {document.event_id: document.raw for document in documents}
    assert len(stored) == len(documents)
    return Verdict(stored, reasons + dead, await questions.fingerprint())
