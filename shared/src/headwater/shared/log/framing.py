"""Frames: how bytes stand in headwater's files, so that a torn or damaged one is seen and the next one is found.

A frame is ``MAGIC (4) | payload length (4) | CRC-32 of the payload (4) | payload``, numbers little-endian.
The spool and the local log use the same frames.
"""

from __future__ import annotations

import struct
from zlib import crc32

MAGIC = b"\xf0HW1"
"""No UTF-8 text holds it, so a scan for the next frame is not misled by an event's own text."""

_HEADER = struct.Struct("<4sII")
HEADER_BYTES = _HEADER.size
_pack = _HEADER.pack
_unpack_from = _HEADER.unpack_from


def frame(payload: bytes) -> bytes:
    """The payload framed, ready for one write."""
    return _pack(MAGIC, len(payload), crc32(payload)) + payload


def read_frame(buffer: bytes | memoryview, position: int) -> tuple[bytes, int] | None:
    """The payload at ``position`` and where the next frame starts; None if no whole and sound frame stands there."""
    start = position + HEADER_BYTES
    if start > len(buffer):
        return None
    magic, length, checksum = _unpack_from(buffer, position)
    end = start + length
    if magic != MAGIC or end > len(buffer):
        return None
    payload = bytes(buffer[start:end])
    return (payload, end) if crc32(payload) == checksum else None


def next_magic(buffer: bytes, position: int) -> int:
    """Where the next frame may start after damage at ``position``; -1 if nowhere."""
    return buffer.find(MAGIC, position + 1)
