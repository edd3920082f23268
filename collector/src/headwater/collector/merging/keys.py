"""Keys of 16 bytes for names, runs, events and values: the same on every machine, so a write needs no look-up first.

A name's key is BLAKE2b-128 of ``namespace NUL name`` (no name holds a NUL); a run's key is its UUID, an event's its
id.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b

from headwater.shared.event import Name
from headwater.shared.runid import dashed

NO_KEY = b""
"""Where a row has no dataset or no run."""


@lru_cache(maxsize=65_536)
def name_key(name: Name) -> bytes:
    return blake2b(f"{name[0]}\0{name[1]}".encode(), digest_size=16).digest()


@lru_cache(maxsize=16_384)
def run_key(run: str) -> bytes:
    return bytes.fromhex(run.replace("-", ""))


def run_text(key: bytes) -> str:
    return dashed(key.hex())


@lru_cache(maxsize=16_384)
def event_key(event_id: str) -> bytes:
    return bytes.fromhex(event_id)


def value_key(value: bytes) -> bytes:
    return blake2b(value, digest_size=16).digest()
