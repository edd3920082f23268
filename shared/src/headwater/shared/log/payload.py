"""How one record stands in a frame's payload, numbers little-endian:

``offset u64 | timestamp_ms u64 | key length i32 (-1: no key) | header count u16 | key | headers | value``,
each header ``name length u16 | value length u32 | name (UTF-8) | value``. The value is the rest.
"""

from __future__ import annotations

import struct

from .base import Record, StoredRecord

_HEAD = struct.Struct("<QQiH")
_HEADER = struct.Struct("<HI")
_OFFSET = struct.Struct("<Q")
MIN_BYTES = _HEAD.size


def encode(record: Record, offset: int, timestamp_ms: int) -> bytes:
    """The payload of a record. Raises ValueError for more headers or longer names than 65,535."""
    value, key, headers = record
    head = _HEAD
    try:
        if not headers:
            if key is None:
                return head.pack(offset, timestamp_ms, -1, 0) + value
            return head.pack(offset, timestamp_ms, len(key), 0) + key + value
        parts = [head.pack(offset, timestamp_ms, -1 if key is None else len(key), len(headers)), key or b""]
        for name, content in headers:
            label = name.encode()
            parts += (_HEADER.pack(len(label), len(content)), label, content)
    except struct.error as error:
        raise ValueError(f"a record that no frame can hold: {error}") from None
    parts.append(value)
    return b"".join(parts)


def decode(payload: bytes, topic: str) -> StoredRecord:
    """The record of a sound payload. Raises ValueError where a sound frame holds no record."""
    try:
        offset, timestamp_ms, key_length, header_count = _HEAD.unpack_from(payload)
        position = MIN_BYTES
        key = None
        if key_length >= 0:
            key = payload[position : position + key_length]
            position += key_length
        if not header_count:
            return StoredRecord(topic, 0, offset, timestamp_ms, payload[position:], key)
        headers = []
        for _ in range(header_count):
            name_length, content_length = _HEADER.unpack_from(payload, position)
            start = position + _HEADER.size
            middle, position = start + name_length, start + name_length + content_length
            headers.append((payload[start:middle].decode(), payload[middle:position]))
        if position > len(payload):
            raise ValueError("headers longer than the frame")
    except struct.error as error:
        raise ValueError(f"no record: {error}") from None
    return StoredRecord(topic, 0, offset, timestamp_ms, payload[position:], key, tuple(headers))


def offset_of(payload: bytes) -> int:
    """The record's offset, or -1 where the payload is too short to hold a record."""
    return int(_OFFSET.unpack_from(payload)[0]) if len(payload) >= MIN_BYTES else -1
