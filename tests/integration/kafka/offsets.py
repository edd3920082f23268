"""What a group has committed, asked of the broker by another client than ours."""

from __future__ import annotations

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
