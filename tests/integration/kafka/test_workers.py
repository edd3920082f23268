"""Workers that stall, die and come back under load: no committed offset that is not in the store, nothing lost."""

from __future__ import annotations

import signal
import sqlite3
import time
from pathlib import Path
from typing import Any

from confluent_kafka import Producer

from tests.integration.kafka.offsets import Offsets
from tests.promises.events import raw
from tests.servers.places import KafkaTopics
from tests.support.seeds import FULL, rng
from tests.support.workers import Worker

MANY = 40_000 if FULL else 4_000
PARTITIONS = 3
FAMILY = "workers"
STALL_S = 9.0
"""Longer than the session: the group takes the worker for dead and gives its partitions away."""


def test_stalled_and_killed_workers(kafka_topics: KafkaTopics, tmp_path: Path) -> None:
    random = rng("workers")
    topic = kafka_topics.make(partitions=PARTITIONS)
    for name in (*(f"{topic}.retry.{n}" for n in (1, 2, 3)), f"{topic}.dlq"):
        kafka_topics.belongs(name)
    database = tmp_path / "h.db"
    store = {"HEADWATER_STORE": "sql", "HEADWATER_LINEAGE__STORE__SQL__URL": f"sqlite:///{database}"}
    url = f"kafka://{kafka_topics.url}/{topic}"
    workers = [Worker(tmp_path, url, store=store, name=f"worker{n}") for n in range(2)]
    feeding = Feed(kafka_topics.url, topic)
    stored = Stored(database)
    offsets = Offsets(kafka_topics.url, "workers", topic, PARTITIONS)
    try:
        begun_s, step = time.monotonic(), 0
        while not feeding.all_delivered() or sum(offsets.committed().values()) < MANY:
            assert time.monotonic() - begun_s < (900 if FULL else 240), workers[0].errors.read_text()
            feeding.feed(random.randrange(50, 400))
            feeding.check(offsets.committed(), stored.look())
            step += 1
            if step in (8, 16) or (FULL and step % 8 == 0):
                disturb(random.choice(workers), random)
            time.sleep(0.2)
        assert len(stored.look()) == MANY
        feeding.check(offsets.committed(), stored.events)
        for worker in workers:
            worker.stop()
    finally:
        offsets.close()
        for worker in workers:
            worker.kill()


def disturb(worker: Worker, random: Any) -> None:
    """A stall that is longer than the session, or a kill."""
    if random.random() < 0.6:
        worker.send(signal.SIGSTOP)
        time.sleep(STALL_S)
        worker.send(signal.SIGCONT)
    else:
        worker.kill()
        worker.start()


class Feed:
    """Sends numbered events, and knows where each stands."""

    def __init__(self, url: str, topic: str) -> None:
        self._producer = Producer({"bootstrap.servers": url, "acks": "all", "enable.idempotence": True})
        self._topic = topic
        self._sent = 0
        self.places: dict[tuple[int, int], bytes] = {}
        """The event at (partition, offset)."""

    def feed(self, count: int) -> None:
        for number in range(self._sent, min(MANY, self._sent + count)):
            event = raw(FAMILY, number)

            def delivered(error: Any, message: Any, event: bytes = event) -> None:
                assert error is None, error
                self.places[message.partition(), message.offset()] = event

            self._producer.produce(self._topic, event, key=b"%d" % (number // 2), on_delivery=delivered)
        self._sent = min(MANY, self._sent + count)
        assert self._producer.flush(30) == 0

    def all_delivered(self) -> bool:
        return len(self.places) == MANY

    def check(self, committed: dict[int, int], stored: set[bytes]) -> None:
        """Every event before a committed offset is in the store."""
        lacking = [
            (partition, offset)
            for (partition, offset), event in self.places.items()
            if offset < committed[partition] and event not in stored
        ]
        assert not lacking, f"committed, and in no store: {sorted(lacking)[:5]}"


class Stored:
    """The events in the store, as bytes."""

    def __init__(self, database: Path) -> None:
        self._database = database
        self._seen = 0
        self.events: set[bytes] = set()

    def look(self) -> set[bytes]:
        """All that is there now."""
        if self._database.exists():
            connection = sqlite3.connect(f"{self._database.as_uri()}?mode=ro", uri=True, timeout=10)
            try:
                for seq, event in connection.execute("SELECT seq, raw FROM document WHERE seq > ?", (self._seen,)):
                    self._seen = max(self._seen, seq)
                    self.events.add(event)
            except sqlite3.OperationalError as error:
                if "no such table" not in str(error):
                    raise
            finally:
                connection.close()
        return self.events
