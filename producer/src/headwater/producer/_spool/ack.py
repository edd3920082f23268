"""How far a lane has been sent: one small file, rewritten in place."""

from __future__ import annotations

import os
import struct
from typing import NamedTuple
from zlib import crc32

_RECORD = struct.Struct("<4sQQ")
_MARK = b"HWA1"


class Position(NamedTuple):
    """A place in a lane: segment number and byte."""

    segment: int
    offset: int


START = Position(0, 0)


def write_ack(fd: int, position: Position) -> None:
    """One write over the same bytes: a SIGKILL leaves the old position or the new one. No room is ever needed."""
    record = _RECORD.pack(_MARK, *position)
    os.pwrite(fd, record + crc32(record).to_bytes(4, "little"), 0)


def read_ack(fd: int) -> Position:
    """The position, or the beginning where none can be read: sending again is harmless."""
    raw = os.pread(fd, _RECORD.size + 4, 0)
    record, checksum = raw[: _RECORD.size], raw[_RECORD.size :]
    if len(raw) != _RECORD.size + 4 or crc32(record) != int.from_bytes(checksum, "little"):
        return START
    _, segment, offset = _RECORD.unpack(record)
    return Position(segment, offset)
