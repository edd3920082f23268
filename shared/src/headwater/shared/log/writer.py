"""What one process holds of a topic it appends to: the lock, the tail, the open segment. All is done under the lock.

The order of writes is what makes a kill at any instruction harmless: records first, the tail after them, and a new
segment is named by a durable tail before anything is written to it.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from threading import RLock

from ..errors import LogFullError, PermanentError, TransientError
from . import tail as tails
from .base import Record
from .files import make_directory, segment_bases, segment_path, sync_directory
from .framing import frame
from .groups import GroupOffsets
from .groupsync import GroupSync
from .payload import encode
from .scan import last_sound
from .tail import Tail, read_tail, write_tail

_OPEN = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC


class SegmentWriter:
    """Safe between threads, of one process only: a child of fork would share the lock, and so lock nothing. Methods
    raise OSError besides what they name; those with "under the lock" are called within ``locked()``."""

    def __init__(
        self, directory: str, groups: GroupOffsets, *, max_bytes: int, segment_bytes: int, fsync: bool
    ) -> None:
        self.pid = os.getpid()
        self.sync = GroupSync()
        self.tail = Tail(0, 0, 0)
        self._directory, self._groups = directory, groups
        self._max_bytes, self._segment_bytes, self._fsync = max_bytes, segment_bytes, fsync
        self._mutex = RLock()
        self._lock_fd = self._tail_fd = self._fd = -1
        self._closed_bytes = 0

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Holds the topic against threads and processes, and knows where it ends."""
        with self._mutex:
            if self._lock_fd < 0:
                self._open_files()
            fcntl.flock(self._lock_fd, fcntl.LOCK_EX)
            with self._caught_up():
                yield

    @contextmanager
    def locked_if_free(self) -> Iterator[bool]:
        """``locked``, but False, and nothing held, where that would take a wait or a file to open."""
        if not self._mutex.acquire(blocking=False):
            yield False
            return
        try:
            if self._fd < 0 or not _flock_if_free(self._lock_fd):
                yield False
                return
            with self._caught_up():
                yield True
        finally:
            self._mutex.release()

    @contextmanager
    def _caught_up(self) -> Iterator[None]:
        try:
            self._catch_up()
            yield
        finally:
            if self._lock_fd >= 0:
                fcntl.flock(self._lock_fd, fcntl.LOCK_UN)

    def has_room(self, size: int) -> bool:
        """Under the lock: whether so many bytes of records go into the open segment and no room must be made."""
        return (
            self.tail.end + size <= self._segment_bytes and self._closed_bytes + self.tail.end + size <= self._max_bytes
        )

    def close(self) -> None:
        """Idempotent; ``locked`` opens again."""
        with self._mutex:
            for fd in (self._fd, self._tail_fd, self._lock_fd):
                if fd >= 0:
                    os.close(fd)
            self._lock_fd = self._tail_fd = self._fd = -1

    def append(self, records: Sequence[Record], now_ms: int) -> range:
        """Under the lock: writes the records, not durable yet. Raises LogFullError or PermanentError."""
        first = self.tail.next_offset
        try:
            frames = [frame(encode(record, offset, now_ms)) for offset, record in enumerate(records, first)]
        except ValueError as error:
            raise PermanentError(str(error)) from None
        if max(map(len, frames)) > self._max_bytes:
            raise PermanentError(f"a record of over {self._max_bytes:,} bytes, all that {self._directory} may hold")
        data = b"".join(frames)
        if self.tail.end and self.tail.end + len(data) > self._segment_bytes:
            self.roll()
        if self._closed_bytes + self.tail.end + len(data) > self._max_bytes:
            self._make_room(len(data))
        base, end = self.tail.base, self.tail.end
        try:
            _write_all(self._fd, data, end)
            self._write_tail(Tail(first + len(records), base, end + len(data)))
        except OSError:
            # Nobody reads behind the tail, so this only spares the next writer the repair.
            try:
                os.ftruncate(self._fd, end)
            except OSError:
                pass
            raise
        return range(first, first + len(records))

    def ticket(self) -> tuple[int, int]:
        """Under the lock: what to hand to ``sync.wait`` outside it. The caller closes the descriptor."""
        return self.sync.written(), os.dup(self._fd)

    def roll(self, base: int | None = None) -> None:
        """Under the lock: closes the segment and opens the next, whose first offset is ``base`` (default: the next)."""
        base = self.tail.next_offset if base is None else base
        self._switch(base)
        self._write_tail(Tail(base, base, 0))
        if self._fsync:
            # Else a tail from before a power cut could point before records that were acknowledged.
            os.fdatasync(self._tail_fd)
            sync_directory(self._directory)

    def delete(self, before: int, older_than_s: float | None = None) -> int:
        """Under the lock: deletes closed segments that end at or before an offset, oldest first; how many."""
        deleted = 0
        for base, following in pairwise(segment_bases(self._directory)):
            path = segment_path(self._directory, base)
            if following > before or (older_than_s is not None and os.stat(path).st_mtime >= older_than_s):
                break
            os.unlink(path)
            deleted += 1
        self._measure()
        return deleted

    def passed_by_all(self) -> int:
        """The offset that every known group has committed; 0 while none is known."""
        return min(self._groups.all().values(), default=0)

    def _open_files(self) -> None:
        make_directory(self._directory, durable=self._fsync)
        self._tail_fd = os.open(f"{self._directory}/{tails.NAME}", _OPEN, 0o666)
        try:
            self._lock_fd = os.open(f"{self._directory}/lock", _OPEN, 0o666)
        except OSError:
            self.close()
            raise

    def _catch_up(self) -> None:
        """Learns what other processes appended, and repairs what a killed one left behind."""
        tail = read_tail(self._tail_fd)
        if self._fd < 0 or tail is None:
            tail = self._recover(tail)
        elif tail.base != self.tail.base:
            self._switch(tail.base)
        found = os.fstat(self._fd)
        if found.st_nlink == 0:
            self.close()
            raise TransientError(f"{self._directory} was deleted while in use; it is made again when tried again")
        self.tail = tail
        if found.st_size > tail.end:
            self._rescan(tail.end)
        elif found.st_size < tail.end:
            # A power cut took bytes that were never acknowledged. Their offsets are not given to others.
            self._rescan(0)
            self._roll_up_to(tail.next_offset)

    def _recover(self, tail: Tail | None) -> Tail:
        """Opens the newest segment: once in each process, and after what only a power cut can do."""
        bases = segment_bases(self._directory)
        newest = bases[-1] if bases else 0
        if tail is not None and tail.base >= newest:
            self._switch(tail.base)
            self.tail = tail
        else:
            self._switch(newest)
            self.tail = Tail(newest, newest, 0)
            self._rescan(0)
        # A group may have seen records that a power cut took. Their offsets must not name others.
        self._roll_up_to(max(self._groups.all().values(), default=0))
        return self.tail

    def _roll_up_to(self, next_offset: int) -> None:
        if self.tail.next_offset < next_offset:
            self.roll(next_offset)

    def _rescan(self, position: int) -> None:
        """Keeps the sound frames of the open segment from ``position`` on, cuts the torn rest."""
        base, size = self.tail.base, os.fstat(self._fd).st_size
        expected = self.tail.next_offset if position else base
        length, next_offset = last_sound(_read_all(self._fd, position, size), expected)
        end = position + length
        if end < size:
            os.ftruncate(self._fd, end)
        self._write_tail(Tail(next_offset, base, end))

    def _write_tail(self, tail: Tail) -> None:
        write_tail(self._tail_fd, tail)
        self.tail = tail

    def _switch(self, base: int) -> None:
        """Opens another segment; what was written to the last one is made durable, for the threads that wait for it."""
        fd = os.open(segment_path(self._directory, base), _OPEN, 0o666)
        if self._fd >= 0:
            if self._fsync:
                os.fdatasync(self._fd)
                self.sync.now_durable()
            os.close(self._fd)
        self._fd = fd
        self._measure(base)

    def _make_room(self, wanted: int) -> None:
        passed = self.passed_by_all()
        self.delete(passed)
        if self._held() + wanted > self._max_bytes and self.tail.end and passed >= self.tail.next_offset:
            self.roll()
            self.delete(passed)
        if self._held() + wanted > self._max_bytes:
            raise LogFullError(
                f"{self._directory} holds {self._held():,} of {self._max_bytes:,} bytes: {self._who_holds_it()}"
            )

    def _held(self) -> int:
        return self._closed_bytes + self.tail.end

    def _who_holds_it(self) -> str:
        groups = self._groups.all()
        if not groups:
            return "no collector has read from it yet"
        slowest = min(groups, key=groups.__getitem__)
        return f"group {slowest} has read up to {groups[slowest]:,} of {self.tail.next_offset:,}"

    def _measure(self, open_base: int | None = None) -> None:
        """Sums the closed segments, which other processes may have deleted or added to."""
        open_base = self.tail.base if open_base is None else open_base
        self._closed_bytes = sum(size for base, size in segment_sizes(self._directory).items() if base != open_base)


def _flock_if_free(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def segment_sizes(directory: str) -> dict[int, int]:
    """Bytes of each segment, by its first offset. Raises OSError."""
    sizes = {}
    for base in segment_bases(directory):
        try:
            sizes[base] = os.stat(segment_path(directory, base)).st_size
        except FileNotFoundError:  # deleted by another process just now
            pass
    return sizes


def _write_all(fd: int, data: bytes, position: int) -> None:
    written = os.pwrite(fd, data, position)
    while written < len(data):  # a full disk takes a part, and says why when asked for the rest
        written += os.pwrite(fd, memoryview(data)[written:], position + written)


def _read_all(fd: int, position: int, end: int) -> bytes:
    pieces = []
    while position < end and (piece := os.pread(fd, min(1 << 26, end - position), position)):
        pieces.append(piece)
        position += len(piece)
    return b"".join(pieces)
