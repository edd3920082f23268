"""Which partitions a lane has, told when that changes."""

from __future__ import annotations

from collections.abc import Collection

from headwater.collector.pipeline.parts import Parts
from headwater.shared.log import LogConsumer, SharesPartitions, TopicPartition


class Shares:
    """Of one lane, over all its consumers. A lane that stands still for want of partitions looks like one that has
    nothing to do: this is what tells them apart."""

    def __init__(self, parts: Parts, lane: str) -> None:
        self._parts, self._lane = parts, lane
        self._last: frozenset[TopicPartition] | None = None

    def look(self, consumer: LogConsumer) -> None:
        """Compares with the last look. Nothing to tell where the log does not share partitions out."""
        if isinstance(consumer, SharesPartitions):
            self._tell(consumer.assigned())

    def _tell(self, assigned: Collection[TopicPartition]) -> None:
        if self._last == assigned:
            return
        self._last = frozenset(assigned)
        self._parts.metrics.partitions(self._lane, len(assigned))
        numbers = sorted(place.partition for place in assigned)
        self._parts.lines.info("partitions", of=self._lane, lane=self._lane, partitions=numbers)
