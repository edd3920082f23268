"""UUIDs of runs and wants (RFC 9562), made without the uuid module, which costs an import."""

from __future__ import annotations

import os
import time


def new_run_id() -> str:
    """A new UUIDv7 in lower case with dashes: 48 bits of Unix milliseconds, then 74 random bits."""
    value = (time.time_ns() // 1_000_000 & 0xFFFF_FFFF_FFFF) << 80 | int.from_bytes(os.urandom(10), "big")
    return _uuid(value, version=7)


def new_want_id() -> str:
    """A new UUIDv4 in lower case with dashes."""
    return _uuid(int.from_bytes(os.urandom(16), "big"), version=4)


def _uuid(value: int, *, version: int) -> str:
    value = value & ~(0xF << 76) | version << 76
    value = value & ~(0x3 << 62) | 0x2 << 62
    text = f"{value:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
