"""The collectors that producers send to, on SQLite, each in processes of its own: ``headwater up``, and behind Kafka a
worker and an API."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from confluent_kafka import Consumer, TopicPartition

from tests.producers.api import PATIENCE_S, Api, asking
from tests.servers.places import KafkaTopics
from tests.support.collector import STOP_WITHIN_S, clean_environment, collector
from tests.support.workers import Worker

START_WITHIN_S = 120


@contextmanager
def up(directory: Path) -> Iterator[Api]:
    """``headwater up`` while the block runs."""
    with collector(directory) as url, asking(url) as api:
        yield api


@dataclass(frozen=True)
class KafkaPipeline:
    """A topic, the worker that collects it, and the API over what was collected."""

    bootstrap: str
    topic: str
    api: Api

    def taken(self) -> int:
        """How many messages the topic has taken."""
        with self._looking() as consumer:
            return self._end(consumer)

    def drained(self) -> int:
        """The same, once the worker has committed them all."""
        with self._looking() as consumer:
            deadline = time.monotonic() + PATIENCE_S
            end = self._end(consumer)
            while (committed := consumer.committed([self._place], timeout=20)[0].offset) < end:
                assert time.monotonic() < deadline, f"{committed} of {end} collected"
                time.sleep(0.2)
        return end

    @property
    def _place(self) -> TopicPartition:
        return TopicPartition(self.topic, 0)

    def _end(self, consumer: Consumer) -> int:
        return int(consumer.get_watermark_offsets(self._place, timeout=20)[1])

    @contextmanager
    def _looking(self) -> Iterator[Consumer]:
        """A consumer of the worker's group that asks and never joins."""
        consumer = Consumer({"bootstrap.servers": self.bootstrap, "group.id": "workers", "log_level": 0})
        try:
            yield consumer
        finally:
            consumer.close()


@contextmanager
def kafka_pipeline(directory: Path, topics: KafkaTopics) -> Iterator[KafkaPipeline]:
    """``headwater collect`` and ``headwater serve`` on a topic of their own while the block runs."""
    directory.mkdir(parents=True, exist_ok=True)
    topic = topics.make()
    for name in (*(f"{topic}.retry.{n}" for n in (1, 2, 3)), f"{topic}.dlq"):
        topics.belongs(name)
    url = f"kafka://{topics.url}/{topic}"
    store = {"HEADWATER_STORE": "sql", "HEADWATER_LINEAGE__STORE__SQL__URL": f"sqlite:///{directory}/headwater.db"}
    worker = Worker(directory, url, store=store)
    try:
        worker.await_collecting()
        with _serve(directory, url, store) as address, asking(address) as api:
            yield KafkaPipeline(topics.url, topic, api)
        worker.stop()
    finally:
        worker.kill()


@contextmanager
def _serve(directory: Path, url: str, store: dict[str, str]) -> Iterator[str]:
    command = [sys.executable, "-m", "headwater.collector.cli", "serve", "--port", "0", "--url", url]
    errors = directory / "serve.stderr"
    with (
        errors.open("w") as stderr,
        subprocess.Popen(command, stderr=stderr, env=clean_environment(**store), cwd=directory) as process,
    ):
        try:
            deadline = time.monotonic() + START_WITHIN_S
            while not (found := re.search(r"http://[\d.]+:\d+", errors.read_text())):
                assert process.poll() is None, errors.read_text()
                assert time.monotonic() < deadline, errors.read_text()
                time.sleep(0.05)
            yield found.group()
        except BaseException:
            process.kill()
            raise
        process.terminate()
        assert process.wait(STOP_WITHIN_S) == 0, errors.read_text()
