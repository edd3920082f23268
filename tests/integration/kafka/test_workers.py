"""Workers that stall, die, leave and come back under load: no committed offset that is not settled, nothing lost."""

from __future__ import annotations

import signal
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from confluent_kafka import Producer

from tests.integration.kafka.offsets import Offsets, values
from tests.promises.events import raw
from tests.servers.places import KafkaTopics
from tests.support.seeds import FULL, rng
from tests.support.workers import Worker

MANY = 40_000 if FULL else 4_000
EACH = 12 if FULL else 1
"""How often each of the disturbances comes."""
PARTITIONS = 3
FAMILY = "workers"
STALL_S = 9.0
"""Longer than the session: the group takes the worker for dead and gives its partitions away."""
EVERY_S = 3.0
"""Between two disturbances."""


def test_workers_that_stall_die_leave_and_join(kafka_topics: KafkaTopics, tmp_path: Path) -> None:
    random = rng("workers")
    topic = kafka_topics.make(partitions=PARTITIONS)
    for name in (*(f"{topic}.retry.{n}" for n in (1, 2, 3)), f"{topic}.dlq"):
        kafka_topics.belongs(name)
    database = tmp_path / "h.db"
    store = {"HEADWATER_STORE": "sql", "HEADWATER_LINEAGE__STORE__SQL__URL": f"sqlite:///{database}"}
    url = f"kafka://{kafka_topics.url}/{topic}"
    workers = [Worker(tmp_path, url, store=store, name=f"worker{n}") for n in range(3)]
    unrest = Unrest(workers, random)
    feeding = Feed(kafka_topics.url, topic, [f"{topic}.retry.{n}" for n in (1, 2, 3)])
    stored = Stored(database)
    offsets = Offsets(kafka_topics.url, "workers", topic, PARTITIONS)
    try:
        begun_s = time.monotonic()
        while unrest.to_come or not feeding.all_delivered() or sum(offsets.committed().values()) < MANY:
            assert time.monotonic() - begun_s < (1800 if FULL else 300), workers[0].errors.read_text()
            feeding.feed(random.randrange(20, 200))
            unrest.go_on()
            feeding.check(offsets.committed(), stored.look())
            time.sleep(0.2)
        assert len(stored.look()) == MANY
        feeding.check(offsets.committed(), stored.events)
        unrest.end()
        for worker in workers:
            worker.stop()
    finally:
        offsets.close()
        for worker in workers:
            worker.kill()


class Unrest:
    """Every few seconds a worker stalls for longer than its session, dies, or leaves in order; each comes back, so the
    group changes once more. At least one is at work at any time."""

    def __init__(self, workers: list[Worker], random: Random) -> None:
        self.to_come = [kind for kind in (self._stall, self._die, self._leave) for _ in range(EACH)]
        random.shuffle(self.to_come)
        self._here, self._random = list(workers), random
        self._away: list[tuple[float, Worker, Callable[[], None]]] = []
        self._next_s = time.monotonic() + EVERY_S

    def go_on(self) -> None:
        """Does what is due now."""
        now_s = time.monotonic()
        for due_s, worker, back in list(self._away):
            if now_s >= due_s:
                self._back(due_s, worker, back)
        if self.to_come and len(self._here) > 1 and now_s >= self._next_s:
            self._next_s = now_s + EVERY_S
            worker = self._here.pop(self._random.randrange(len(self._here)))
            away_s, back = self.to_come.pop()(worker)
            self._away.append((time.monotonic() + away_s, worker, back))

    def end(self) -> None:
        """Everybody comes back now."""
        for each in list(self._away):
            self._back(*each)

    def _back(self, due_s: float, worker: Worker, back: Callable[[], None]) -> None:
        back()
        self._away.remove((due_s, worker, back))
        self._here.append(worker)

    def _stall(self, worker: Worker) -> tuple[float, Callable[[], None]]:
        worker.send(signal.SIGSTOP)
        return STALL_S, lambda: worker.send(signal.SIGCONT)

    def _die(self, worker: Worker) -> tuple[float, Callable[[], None]]:
        worker.kill()
        return self._random.uniform(0, 8), worker.start

    def _leave(self, worker: Worker) -> tuple[float, Callable[[], None]]:
        worker.stop()
        return self._random.uniform(0, 3), worker.start


class Feed:
    """Sends numbered events, and knows where each stands."""

    def __init__(self, url: str, topic: str, retries: list[str]) -> None:
        self._producer = Producer({"bootstrap.servers": url, "acks": "all", "enable.idempotence": True})
        self._url, self._topic, self._retries = url, topic, retries
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
        """Every event before a committed offset is in the store, or waits in a retry topic: a worker that stalls may
        hold SQLite's lock."""
        lacking = {
            event: place
            for place, event in self.places.items()
            if place[1] < committed[place[0]] and event not in stored
        }
        if lacking:
            waiting = values(self._url, self._retries)
            lost = [place for event, place in lacking.items() if event not in waiting]
            assert not lost, f"committed, and nowhere: {sorted(lost)[:5]}"


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
