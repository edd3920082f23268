"""The tail file: where a topic ends. It is written in place, under the writers' lock, after the records it covers.

Readers read up to it and no further, without a lock: what stands behind it is not appended yet, whether a writer is
busy there or was killed. Its CRC tells a reader that met a write half done to look again.
"""

from __future__ import annotations

import os
import struct
from typing import NamedTuple
from zlib import crc32

_NUMBERS = struct.Struct("<QQQ")
_CHECKSUM = struct.Struct("<I")
_BYTES = _NUMBERS.size + _CHECKSUM.size
_LOOKS = 100

NAME = "tail"


class Tail(NamedTuple):
    """The end of a topic."""

    next_offset: int
    """Of the record that is appended next."""
    base: int
    """Which segment is open: the offset of its first record."""
    end: int
    """Bytes of sound frames in the open segment."""


def read_tail(fd: int) -> Tail | None:
    """The tail, or None where the file holds none that is sound. Raises OSError."""
    for _ in range(_LOOKS):
        raw = os.pread(fd, _BYTES, 0)
        if len(raw) < _BYTES:
            return None
        numbers = raw[: _NUMBERS.size]
        if _CHECKSUM.unpack_from(raw, _NUMBERS.size)[0] == crc32(numbers):
            return Tail(*_NUMBERS.unpack(numbers))
    return None


def write_tail(fd: int, tail: Tail) -> None:
    """Replaces the tail in one write. Raises OSError."""
    numbers = _NUMBERS.pack(*tail)
    os.pwrite(fd, numbers + _CHECKSUM.pack(crc32(numbers)), 0)
