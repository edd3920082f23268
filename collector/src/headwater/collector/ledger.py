"""Which offsets may be committed: the highest contiguous settled one of each partition."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable

from headwater.shared.log import TopicPartition


class _Lane:
    """Offsets of one partition in the order they were read, and those settled out of turn."""

    __slots__ = ("next_offset", "pending", "settled")

    def __init__(self, next_offset: int) -> None:
        self.pending: deque[int] = deque()
        self.settled: set[int] = set()
        self.next_offset = next_offset


class Ledger:
    """Remembers what was read and what of it is settled. Offsets may have gaps, as Kafka's do.

    An offset is committable when it and everything read before it in its partition is settled. A revoked partition is
    forgotten, and settling there afterwards does nothing: whoever holds the partition now answers for it.
    """

    def __init__(self) -> None:
        self._lanes: dict[TopicPartition, _Lane] = {}

    def track(self, partition: TopicPartition, offsets: Iterable[int]) -> None:
        """Notes offsets as read, in rising order. An offset that is tracked already is read again, not twice."""
        lane = self._lanes.get(partition)
        for offset in offsets:
            if lane is None:
                lane = self._lanes[partition] = _Lane(offset)
            last = lane.pending[-1] if lane.pending else lane.next_offset - 1
            if offset > last:
                lane.pending.append(offset)

    def settle(self, partition: TopicPartition, offsets: Iterable[int]) -> None:
        """Notes offsets as settled, in any order. Does nothing for an offset that is not tracked."""
        lane = self._lanes.get(partition)
        if lane is None:
            return
        pending, settled = lane.pending, lane.settled
        for offset in offsets:
            if pending and pending[0] <= offset <= pending[-1]:
                settled.add(offset)
        while pending and pending[0] in settled:
            offset = pending.popleft()
            settled.discard(offset)
            lane.next_offset = offset + 1
        if not pending:
            settled.clear()

    def committable(self) -> dict[TopicPartition, int]:
        """The next offset to be read, of each partition, that may be committed now."""
        return {partition: lane.next_offset for partition, lane in self._lanes.items()}

    def unsettled(self, partitions: Collection[TopicPartition] | None = None) -> int:
        """How many offsets were read and are not committable yet, of these partitions or of all."""
        return sum(
            len(lane.pending) for place, lane in self._lanes.items() if partitions is None or place in partitions
        )

    def holds(self, partition: TopicPartition, offset: int) -> bool:
        """Whether the offset was read and is not committable yet; False once its partition was revoked."""
        lane = self._lanes.get(partition)
        return lane is not None and bool(lane.pending) and lane.pending[0] <= offset <= lane.pending[-1]

    def revoke(self, partition: TopicPartition) -> None:
        """Forgets a partition that this consumer no longer holds."""
        self._lanes.pop(partition, None)

    def revoke_all(self) -> None:
        """Forgets everything, before reading starts again at the committed offsets."""
        self._lanes.clear()
