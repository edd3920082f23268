"""Records that were fetched and not handed out yet, by partition."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from ..base import StoredRecord


class Buffer:
    """Hands out from the partitions in turn, so that a full one does not starve the others."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, int], deque[StoredRecord]] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, records: Iterable[StoredRecord]) -> None:
        """Puts records behind those of their partition."""
        for record in records:
            self._waiting.setdefault(record[:2], deque()).append(record)
            self._count += 1

    def take(self, max_records: int, max_bytes: int) -> list[StoredRecord]:
        """At least one, if there is one; each partition's in order."""
        taken: list[StoredRecord] = []
        for place in list(self._waiting):
            waiting = self._waiting.pop(place)
            while waiting and len(taken) < max_records and (not taken or len(waiting[0].value) <= max_bytes):
                record = waiting.popleft()
                max_bytes -= len(record.value)
                taken.append(record)
            if waiting:
                self._waiting[place] = waiting  # at the end: its turn comes after the others'
            if len(taken) >= max_records or (taken and max_bytes <= 0):
                break
        self._count -= len(taken)
        return taken

    def clear(self) -> None:
        self._waiting.clear()
        self._count = 0
