"""Kafka, MongoDB, Neo4j and the workers between them: every part may be killed and comes back as it was."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from confluent_kafka import KafkaException, TopicPartition

from tests.integration.kafka.offsets import Offsets
from tests.servers.places import KafkaTopics
from tests.servers.server import Server
from tests.support.workers import Worker

PARTITIONS = 3
GROUP = "workers"
RUNGS = (1, 2, 3)
T = TypeVar("T")

STORES = {"mongo": "document", "neo4j": "graph"}
"""What a server is called, and the store on it."""

_CONFIG = """
[lineage.store]
backend = "composite"
backends = ["document", "graph"]
deadline_s = {deadline_s}
[lineage.store.document]
document_connection_name = "documents"
[lineage.store.graph]
graph_connection_name = "facts"
[lineage.collector.retry]
ladder_s = [1.0, 2.0, 5.0]
max_attempts = {max_attempts}
[connections.documents]
uri = "{mongo}{database}"
[connections.facts]
uri = "{neo4j}"
"""


class Cluster:
    """One topic and what is behind it. ``servers`` by name: kafka, mongo, neo4j."""

    def __init__(self, servers: Mapping[str, Server], topics: KafkaTopics, directory: Path, database: str) -> None:
        self.servers, self.topics, self.directory, self.database = servers, topics, directory, database
        self.topic = topics.make(partitions=PARTITIONS)
        self.dead_letters = topics.belongs(f"{self.topic}.dlq")
        self.retries = [topics.belongs(f"{self.topic}.retry.{rung}") for rung in RUNGS]
        self.url = f"kafka://{servers['kafka'].url}/{self.topic}"
        self.workers: list[Worker] = []
        self._offsets = Offsets(servers["kafka"].url, GROUP, self.topic, PARTITIONS)
        self.configure()

    def configure(self, *, max_attempts: int = 12, deadline_s: float = 30.0) -> None:
        """For workers that start from now on."""
        urls = {"mongo": self.servers["mongo"].url, "neo4j": self.servers["neo4j"].url, "database": self.database}
        text = _CONFIG.format(max_attempts=max_attempts, deadline_s=deadline_s, **urls)
        (self.directory / "headwater.toml").write_text(text)

    def start_workers(self, count: int) -> list[Worker]:
        """So many more."""
        begun = len(self.workers)
        self.workers += [
            Worker(self.directory, self.url, store={}, name=f"worker{begun + number}") for number in range(count)
        ]
        return self.workers[begun:]

    def committed(self) -> int:
        """Of the main topic, over its partitions; asked again while the broker comes up."""
        return sum(self.positions().values())

    def positions(self) -> dict[int, int]:
        """What is committed of the main topic, by partition."""
        return _patiently(self._offsets.committed)

    def appended(self, topic: str) -> int:
        """Records that were ever appended, over its partitions; 0 if there is no such topic."""
        consumer = self._offsets.consumer

        def look() -> int:
            found = consumer.list_topics(topic, timeout=20).topics[topic].partitions
            places = (TopicPartition(topic, number) for number in found)
            return sum(consumer.get_watermark_offsets(place, timeout=20)[1] for place in places)

        return _patiently(look)

    def lag(self) -> int:
        """Records of the main and the retry topics that are not settled. Whatever moves is counted at least once: a
        record stands on the next rung before it is committed on the last one."""
        left = self.appended(self.topic) - self.committed()
        for rung, topic in zip(RUNGS, self.retries, strict=True):
            settled = Offsets(self.servers["kafka"].url, f"{GROUP}.retry.{rung}", topic, 6)
            try:
                left += self.appended(topic) - sum(_patiently(settled.committed).values())
            finally:
                settled.close()
        return left

    def await_drained(self, within_s: float) -> None:
        """Until nothing is left to settle."""
        self.await_that(lambda: self.lag() == 0, within_s, "the lag is not gone")

    def await_that(self, true: Callable[[], bool], within_s: float, why: str) -> None:
        """Looks again and again. Fails with what the workers logged."""
        until_s = time.monotonic() + within_s
        while not true():
            for worker in self.workers:
                assert worker.process.poll() is None, f"a worker ended: {worker.errors.read_text()[-3000:]}"
            assert time.monotonic() < until_s, f"{why}; {self.told()}"
            time.sleep(0.2)

    def told(self) -> str:
        """What the workers say of themselves, and the ends of their logs."""
        from tests.integration.faults.probes import states  # which speaks of clusters

        return "\n".join(
            f"{worker.errors.name}: {states(worker)}\n{worker.errors.read_text()[-3000:]}" for worker in self.workers
        )

    def end(self) -> None:
        """Kills the workers; servers that are down or stalled come back."""
        for worker in self.workers:
            worker.kill()
        self._offsets.close()
        for server in self.servers.values():
            server.resume()
            server.start()


def _patiently(ask: Callable[[], T]) -> T:
    """A broker that has just come back may not know its groups yet."""
    until_s = time.monotonic() + 60
    while True:
        try:
            return ask()
        except KafkaException:
            if time.monotonic() > until_s:
                raise
            time.sleep(0.2)
