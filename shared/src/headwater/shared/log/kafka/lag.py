"""How far a group is behind, and whether retention has taken what it had not read."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import NamedTuple

from ..base import TopicPartition
from .brokers import Brokers
from .listing import Listing


class Behind(NamedTuple):
    """Of one partition."""

    settled: int
    """The next offset of the group, or the first one kept where it has none or retention was faster."""
    following: int
    """The next offset to be written."""

    @property
    def records(self) -> int:
        return max(0, self.following - self.settled)


class Lag:
    """Asks the brokers. Raises TransientError."""

    def __init__(self, brokers: Brokers, listing: Listing) -> None:
        self._brokers, self._listing = brokers, listing
        self._told: dict[tuple[str, str, int], int] = {}

    async def of(self, group: str, topics: Sequence[str]) -> int:
        """Records appended and not committed by the group, whoever of its members reads them."""
        return sum(behind.records for behind in (await self.by_partition(group, topics)).values())

    async def by_partition(self, group: str, topics: Sequence[str]) -> dict[TopicPartition, Behind]:
        """The same for each partition of the topics that exist."""
        found = {}
        for topic, partitions in (await self._brokers.partitions(topics)).items():
            committed = await self._brokers.committed(group, topic, partitions)
            bounds = await self._listing.bounds(topic, partitions)
            for partition, (first, following) in enumerate(bounds):
                position = committed.get(partition)
                if position is not None and position < first:
                    self._tell(group, topic, partition, position, first)
                found[TopicPartition(topic, partition)] = Behind(max(first, position or 0), following)
        return found

    def _tell(self, group: str, topic: str, partition: int, position: int, first: int) -> None:
        if self._told.get((group, topic, partition)) != position:
            self._told[group, topic, partition] = position
            logging.getLogger("headwater").error(
                "%s/%d: the records from %d to %d were deleted by retention before group %s had settled them",
                topic,
                partition,
                position,
                first - 1,
                group,
            )
