"""What every log engine promises: Kafka, local segment files, memory. The same pipeline runs on each."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeAlias, runtime_checkable


class Record(NamedTuple):
    """What is appended. ``headers`` keep their order; names may repeat, as in Kafka."""

    value: bytes
    key: bytes | None = None
    headers: tuple[tuple[str, bytes], ...] = ()


class TopicPartition(NamedTuple):
    """The local and the memory log have partition 0 alone."""

    topic: str
    partition: int


class StoredRecord(NamedTuple):
    """What is read back: the record, where it stands and when it was appended."""

    topic: str
    partition: int
    offset: int
    """Counts records, from 0, without gaps on the local and the memory log."""
    timestamp_ms: int
    """Time of sending, never the event's own time: retention must not eat a replay of old events."""
    value: bytes
    key: bytes | None = None
    headers: tuple[tuple[str, bytes], ...] = ()

    def header(self, name: str) -> bytes | None:
        """The last header of that name, or None."""
        for key, value in reversed(self.headers):
            if key == name:
                return value
        return None


OnRevoke: TypeAlias = Callable[[Collection[TopicPartition]], Awaitable[None]]
"""Awaited, for a bounded time, before partitions go to another member of the group: the last moment to commit what is
settled there. Afterwards none of their records may be committed on the strength of having been read before."""


class LogConsumer(Protocol):
    """One member of a consumer group. Not safe to share between tasks."""

    async def next_batch(self, *, max_records: int, max_bytes: int, timeout_s: float) -> list[StoredRecord]:
        """Records after the last ones returned, starting from the group's committed offset (earliest if none).

        Returns as soon as anything is there, empty after ``timeout_s``. Reading commits nothing. At least one record
        is returned if there is one, whatever ``max_bytes``. Raises TransientError.
        """
        ...

    async def commit(self, offsets: Mapping[TopicPartition, int]) -> None:
        """Makes the group start at these offsets (the next to be read) after a restart. MUST be idempotent and MAY go
        back, for a replay. Raises TransientError."""
        ...

    async def lag(self) -> int:
        """Records appended and not committed by the group."""
        ...

    async def seek_to_committed(self) -> None:
        """Forgets what was read and not committed: the next batch starts at the committed offset again."""
        ...

    async def close(self) -> None:
        """Leaves the group. Commits nothing."""
        ...


@runtime_checkable
class SharesPartitions(Protocol):
    """The consumer of a log that shares partitions out among the members of a group."""

    def assigned(self) -> Collection[TopicPartition]:
        """What this member has at present. May be empty, for ever where there are more members than partitions."""
        ...


class Log(Protocol):
    """An ordered, durable sequence of records per topic."""

    async def open(self) -> None:
        """Connects or makes the directories. Idempotent. Raises TransientError or ConfigurationError."""
        ...

    async def append(self, topic: str, records: Sequence[Record]) -> list[int]:
        """Appends in order and returns the offsets. Returns only when the records are durable: all in-sync replicas
        for Kafka, fsync for files (shared by concurrent callers). All or, on an error, none or a part; appending
        again is safe since events are told apart by their id. Raises LogFullError, TransientError or PermanentError."""
        ...

    def consumer(self, group: str, topics: Sequence[str], *, on_revoke: OnRevoke | None = None) -> LogConsumer:
        """A new member of ``group`` on ``topics``; topics that do not exist yet are read when they do. A log that never
        moves a partition from a living member to another one never calls ``on_revoke``."""
        ...

    async def size(self, topic: str) -> tuple[int, int]:
        """(first offset still kept, next offset to be written)."""
        ...

    async def read(self, topic: str, offset: int, *, max_records: int) -> list[StoredRecord]:
        """Records from ``offset`` on, outside any group: for listings. Empty at the end. An offset no longer kept
        starts at the first that is."""
        ...

    async def close(self) -> None:
        """Idempotent."""
        ...
