"""One topic of the local log: segment files that many processes append to. Synchronous; asyncio is in ``local``.

What is promised:
- ``append`` returns when the records are on the disk (fdatasync, shared by threads that wait at the same time).
- A writer killed at any instruction loses nothing that was acknowledged: the next one finds where the log ends from
  the tail file, keeps the whole frames behind it and cuts the torn rest.
- Offsets are never given twice, not even after a power cut: a log never ends before what a group has committed.
- It stays within ``max_bytes``. Only segments that every known group has committed past are deleted; where that does
  not make room, ``append`` raises LogFullError.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from ..clock import Clock, SystemClock
from . import tail as tails
from .base import Record
from .files import segment_bases, unusable, wrong_directory
from .groups import GroupOffsets
from .reading import OnDamage, SegmentReader, ignore_damage
from .tail import Tail, read_tail
from .writer import SegmentWriter, segment_sizes

DEFAULT_MAX_BYTES = 4 << 30
DEFAULT_SEGMENT_BYTES = 64 << 20
DEFAULT_RETENTION_S = 7 * 86_400.0


SHORT_BYTES = 256 * 1024
_MOST_AROUND = 64
"""Bytes of a frame around the value of a record without key and headers, and some."""


class Begun(NamedTuple):
    """Records that are in the file and not yet known to be on the disk."""

    offsets: range
    ticket: int
    fd: int


class SegmentLog:
    """One topic in one directory. Safe to share between threads, survives a fork, shared by processes through files.

    ``segment_bytes`` is kept to a quarter of ``max_bytes``, so that room can be made piecewise. Segments that all
    groups have passed are deleted when older than ``retention_s``, or sooner for room. ``on_damage`` hears of damage
    that readers pass over. Every method but ``open`` raises TransientError for what the operating system refuses.
    """

    def __init__(
        self,
        directory: str | os.PathLike[str],
        *,
        max_bytes: int = DEFAULT_MAX_BYTES,
        segment_bytes: int = DEFAULT_SEGMENT_BYTES,
        retention_s: float = DEFAULT_RETENTION_S,
        fsync: bool = True,
        clock: Clock | None = None,
        on_damage: OnDamage = ignore_damage,
    ) -> None:
        self.directory = os.path.abspath(os.fspath(directory))
        self.topic = os.path.basename(self.directory)
        self._groups = GroupOffsets(self.directory)
        self._max_bytes, self._segment_bytes = max_bytes, max(1, min(segment_bytes, max_bytes // 4))
        self._retention_s, self._fsync, self._clock = retention_s, fsync, clock or SystemClock()
        self._on_damage = on_damage
        self._own_writer = self._new_writer()

    def open(self) -> None:
        """Makes the directory and repairs what a killed writer left. Idempotent. Raises ConfigurationError for a
        directory that cannot be used, TransientError for what may pass."""
        try:
            with self._writer().locked():
                pass
        except OSError as error:
            raise wrong_directory(error, self.directory) from None

    def append(self, records: Sequence[Record]) -> range:
        """Appends in order, durably, and returns the offsets. Raises LogFullError (none is there), TransientError (none
        or all may be there), or PermanentError for a record that fits no log."""
        if not records:
            return range(0)
        with self._os_errors():
            writer = self._writer()
            with writer.locked():
                base = writer.tail.base
                offsets = writer.append(records, int(self._clock.now_s() * 1000))
                if writer.tail.base != base:
                    self._expire(writer)
                if not self._fsync:
                    return offsets
                ticket, fd = writer.ticket()
            try:
                writer.sync.wait(ticket, fd)
            finally:
                os.close(fd)
            return offsets

    def begin(self, records: Sequence[Record]) -> Begun | None:
        """The first half of ``append``, where it takes no wait: nobody else has the topic, and the records, at most
        ``SHORT_BYTES``, go into the open segment. Else None, and nothing was done. Raises as ``append``."""
        size = sum(len(record.value) + _MOST_AROUND for record in records)
        if size > SHORT_BYTES or any(record.headers or record.key for record in records):
            return None
        with self._os_errors():
            writer = self._writer()
            with writer.locked_if_free() as free:
                if not free or not writer.has_room(size):
                    return None
                offsets = writer.append(records, int(self._clock.now_s() * 1000))
                return Begun(offsets, *(writer.ticket() if self._fsync else (0, -1)))

    def finish(self, begun: Begun) -> range:
        """The other half: waits for the disk. For a thread. Call it once for each ``begin``."""
        if begun.fd < 0:
            return begun.offsets
        with self._os_errors():
            try:
                self._own_writer.sync.wait(begun.ticket, begun.fd)
            finally:
                os.close(begun.fd)
        return begun.offsets

    def reader(self, offset: int = 0) -> SegmentReader:
        """A reader of its own from this offset on. The caller closes it."""
        return SegmentReader(self.directory, self.topic, offset, self._on_damage)

    def bounds(self) -> tuple[int, int]:
        """(first offset kept, next offset). Takes no lock; (0, 0) where nothing was ever appended."""
        with self._os_errors():
            bases, tail = segment_bases(self.directory), self._peek()
            return (bases[0], max(tail.next_offset, bases[0])) if bases and tail else (0, 0)

    def size_bytes(self) -> int:
        """Of all segments."""
        with self._os_errors():
            return sum(segment_sizes(self.directory).values())

    def committed(self, group: str) -> int | None:
        """The offset that a group reads next; None for an unknown group."""
        with self._os_errors():
            return self._groups.read(group)

    def commit(self, group: str, offset: int) -> None:
        """Makes the group known and its next offset this one. Idempotent; may go back."""
        with self._os_errors():
            self._groups.write(group, offset)

    def forget_group(self, group: str) -> None:
        """Takes a group away that reads no more, so that it holds no records back."""
        with self._os_errors():
            self._groups.forget(group)

    def group_lock_path(self, group: str) -> str:
        """The file whose lock says which consumer reads for the group. Its directory is there."""
        with self._os_errors():
            return self._groups.lock_path(group)

    def expire(self) -> int:
        """Deletes closed segments that all groups have passed and that are older than the retention; how many."""
        with self._os_errors():
            writer = self._writer()
            with writer.locked():
                return self._expire(writer)

    def delete_before(self, offset: int) -> int:
        """Deletes records before an offset whoever has not read them, by whole segments; with the next offset as
        ``offset``, all. For a purge that a person asked for. Returns the first offset kept."""
        with self._os_errors():
            writer = self._writer()
            with writer.locked():
                if offset >= writer.tail.next_offset and writer.tail.end:
                    writer.roll()
                writer.delete(offset)
        return self.bounds()[0]

    def close(self) -> None:
        """Closes the files. Idempotent; used again, it opens again."""
        if self._own_writer.pid == os.getpid():
            self._own_writer.close()

    def _writer(self) -> SegmentWriter:
        if self._own_writer.pid != os.getpid():
            # A child of fork leaves the parent's descriptors alone: they share the lock, and perhaps a mutex held.
            self._own_writer = self._new_writer()
        return self._own_writer

    def _new_writer(self) -> SegmentWriter:
        return SegmentWriter(
            self.directory,
            self._groups,
            max_bytes=self._max_bytes,
            segment_bytes=self._segment_bytes,
            fsync=self._fsync,
        )

    def _expire(self, writer: SegmentWriter) -> int:
        return writer.delete(writer.passed_by_all(), self._clock.now_s() - self._retention_s)

    @contextmanager
    def _os_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise unusable(error, self.directory) from None

    def _peek(self) -> Tail | None:
        try:
            fd = os.open(f"{self.directory}/{tails.NAME}", os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        try:
            return read_tail(fd)
        finally:
            os.close(fd)
