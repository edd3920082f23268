"""Reading one topic's segments in order, without the writers' lock.

A reader keeps its file open and its place in it, so reading on costs one read of a large piece for many records. A
segment that was deleted under it is read to its end; then it goes on with the first that is kept.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Callable
from typing import TypeAlias

from ..errors import TransientError
from . import tail as tails
from .base import StoredRecord
from .files import segment_bases, segment_path, unusable
from .framing import HEADER_BYTES, MAGIC, next_magic, read_frame
from .payload import decode
from .tail import Tail, read_tail

OnDamage: TypeAlias = Callable[[str, int, int], None]
"""Called with (segment's path, position, bytes) for damage that is passed over."""

_PIECE_BYTES = 1 << 20


def ignore_damage(path: str, position: int, length: int) -> None:
    """For readers whose ``damaged_bytes`` is looked at instead."""


class SegmentReader:
    """A place in one topic. Not safe to share between threads. Close it."""

    def __init__(self, directory: str, topic: str, offset: int = 0, on_damage: OnDamage = ignore_damage) -> None:
        self._directory, self._topic, self._on_damage = directory, topic, on_damage
        self.next_offset = offset
        """Of the next record wanted; the next one given may be later, where older ones are no longer kept."""
        self.damaged_bytes = 0
        """Passed over so far."""
        self._tail_fd = -1
        self._fd = -1
        self._base = 0
        self._path = ""
        self._piece = b""
        self._start = 0  # where the piece begins in the file
        self._at = 0  # where to go on in the piece
        self._before = 0  # where the last record given began

    def read(self, max_records: int, max_bytes: int = 1 << 62) -> list[StoredRecord]:
        """The next records, empty at the end; at least one if there is one. Raises TransientError."""
        try:
            return self._read(max_records, max_bytes)
        except OSError as error:
            raise unusable(error, self._path or self._directory) from None

    def seek(self, offset: int) -> None:
        """Goes on at this offset."""
        if offset < self.next_offset or self._fd < 0:
            self._leave_segment()
        self.next_offset = offset

    def close(self) -> None:
        """Idempotent; reading again opens again."""
        self._leave_segment()
        if self._tail_fd >= 0:
            os.close(self._tail_fd)
            self._tail_fd = -1

    def _tail(self) -> Tail | None:
        if self._tail_fd >= 0 and os.fstat(self._tail_fd).st_nlink == 0:
            # The directory was deleted. If there is a log again, it is another one.
            self.close()
            self.next_offset = 0
        if self._tail_fd < 0:
            try:
                self._tail_fd = os.open(f"{self._directory}/{tails.NAME}", os.O_RDONLY | os.O_CLOEXEC)
            except FileNotFoundError:
                return None
        return read_tail(self._tail_fd)

    def _read(self, max_records: int, max_bytes: int) -> list[StoredRecord]:
        records: list[StoredRecord] = []
        tail = self._tail()
        if tail is None or tail.next_offset <= self.next_offset:
            return records
        left = max_bytes
        while len(records) < max_records and (self._fd >= 0 or self._enter_segment(self.next_offset)):
            record = self._next_in_segment(tail)
            if record is None:
                if self._base == tail.base and self._start + self._at >= tail.end:
                    self.next_offset = tail.next_offset  # damage may have taken the last records
                if self._base >= tail.base or not self._enter_segment_after(self._base):
                    break
                continue
            left -= len(record.value)
            if left < 0 and records:
                self._at = self._before
                self.next_offset = record.offset
                break
            records.append(record)
        return records

    def _next_in_segment(self, tail: Tail) -> StoredRecord | None:
        """The next wanted record of the open segment, None at its end."""
        while True:
            found = read_frame(self._piece, self._at)
            if found is None:
                if self._more(tail):
                    continue
                return None
            payload, end = found
            try:
                record = decode(payload, self._topic)
            except ValueError:
                self._damaged(end - self._at)
                self._at = end
                continue
            self._before, self._at = self._at, end
            if record.offset >= self.next_offset:
                self.next_offset = record.offset + 1
                return record

    def _more(self, tail: Tail) -> bool:
        """Reads the next piece, or passes over damage. False where the segment has nothing more."""
        position = self._start + self._at
        limit = tail.end if self._base == tail.base else os.fstat(self._fd).st_size
        if position >= limit or self._base > tail.base:
            return False
        held = len(self._piece) - self._at
        wanted = self._frame_bytes()
        if held < wanted and position + wanted <= limit:
            self._piece = os.pread(self._fd, min(max(_PIECE_BYTES, wanted), limit - position), position)
            self._start, self._at = position, 0
            return len(self._piece) > held
        self._skip_damage(limit)
        return True

    def _frame_bytes(self) -> int:
        """Length of the frame here, as far as its header is there to say."""
        header = self._piece[self._at : self._at + HEADER_BYTES]
        if len(header) < HEADER_BYTES or not header.startswith(MAGIC):
            return HEADER_BYTES
        return HEADER_BYTES + int.from_bytes(header[4:8], "little")

    def _skip_damage(self, limit: int) -> None:
        candidate = next_magic(self._piece, self._at)
        if candidate < 0:
            # The first bytes of a frame's mark may stand at the end of the piece.
            keep = len(MAGIC) - 1
            reached_end = self._start + len(self._piece) >= limit
            candidate = max(self._at + 1, len(self._piece) - (0 if reached_end else keep))
            candidate = min(candidate, limit - self._start)
        self._damaged(candidate - self._at)
        self._at = candidate

    def _damaged(self, length: int) -> None:
        self.damaged_bytes += length
        self._on_damage(self._path, self._start + self._at, length)

    def _enter_segment(self, offset: int) -> bool:
        """Opens the segment that holds the offset, else the first that is kept."""
        for _ in range(10):  # the segment may be deleted between listing and opening
            bases = segment_bases(self._directory)
            if not bases:
                return False
            if self._open(bases[max(0, bisect_right(bases, offset) - 1)]):
                return True
        raise TransientError(f"{self._directory}: segments are deleted faster than they can be opened")

    def _enter_segment_after(self, base: int) -> bool:
        for _ in range(10):
            later = [each for each in segment_bases(self._directory) if each > base]
            if not later:
                return False
            if self._open(later[0]):
                return True
        raise TransientError(f"{self._directory}: segments are deleted faster than they can be opened")

    def _open(self, base: int) -> bool:
        path = segment_path(self._directory, base)
        try:
            fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return False
        self._leave_segment()
        self._fd, self._base, self._path = fd, base, path
        return True

    def _leave_segment(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
        self._fd, self._piece, self._start, self._at, self._before = -1, b"", 0, 0, 0
