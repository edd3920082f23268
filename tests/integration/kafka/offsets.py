"""What a group has committed and what topics hold, asked of the broker by another client than ours."""

from __future__ import annotations

from uuid import uuid4

from confluent_kafka import Consumer, TopicPartition


class Offsets:
    """Of one group and topic."""

    def __init__(self, url: str, group: str, topic: str, partitions: int) -> None:
        self._consumer = Consumer({"bootstrap.servers": url, "group.id": group, "log_level": 0})
        self._places = [TopicPartition(topic, number) for number in range(partitions)]

    @property
    def consumer(self) -> Consumer:
        """For other questions to the broker."""
        return self._consumer

    def committed(self) -> dict[int, int]:
        """By partition; 0 where nothing was committed."""
        return {place.partition: max(0, place.offset) for place in self._consumer.committed(self._places, timeout=20)}

    def close(self) -> None:
        self._consumer.close()


def values(url: str, topics: list[str]) -> set[bytes]:
    """Of all records that stand in these topics now; a topic that does not exist has none."""
    consumer = Consumer({"bootstrap.servers": url, "group.id": uuid4().hex, "log_level": 0})
    found: set[bytes] = set()
    try:
        known = consumer.list_topics(timeout=20).topics
        for topic in topics:
            for partition in known[topic].partitions if topic in known else ():
                low, high = consumer.get_watermark_offsets(TopicPartition(topic, partition), timeout=20)
                consumer.assign([TopicPartition(topic, partition, low)])
                at = low
                while at < high:
                    for message in consumer.consume(1000, timeout=5):
                        assert message.error() is None, message.error()
                        at = message.offset() + 1
                        found.add(message.value())
    finally:
        consumer.close()
    return found
