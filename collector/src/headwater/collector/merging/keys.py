"""Keys of 16 bytes for names, runs, events and values: the same on every machine, so a write needs no look-up first.

A name's key is BLAKE2b of ``namespace NUL name`` (no name holds a NUL) in 13 bytes, behind 3 bytes of the same of its
family, see ``name_key``; a run's key is its UUID, an event's its id.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b

from headwater.shared.event import Name
from headwater.shared.runid import dashed

NO_KEY = b""
"""Where a row has no dataset or no run."""
_KEY_BYTES, _FAMILY_BYTES = 16, 3


@lru_cache(maxsize=65_536)
def name_key(name: Name) -> bytes:
    """Names of one family (a schema's tables, a folder's files) are written and asked for together: their keys begin
    alike, so that in a large store their rows share pages."""
    namespace, text = name
    family = text.rpartition("/" if "/" in text else ".")[0]
    beginning = blake2b(f"{namespace}\0{family}".encode(), digest_size=_FAMILY_BYTES).digest()
    return beginning + blake2b(f"{namespace}\0{text}".encode(), digest_size=_KEY_BYTES - _FAMILY_BYTES).digest()


@lru_cache(maxsize=16_384)
def run_key(run: str) -> bytes:
    return bytes.fromhex(run.replace("-", ""))


def run_text(key: bytes) -> str:
    return dashed(key.hex())


@lru_cache(maxsize=16_384)
def event_key(event_id: str) -> bytes:
    return bytes.fromhex(event_id)


def value_key(value: bytes) -> bytes:
    return blake2b(value, digest_size=_KEY_BYTES).digest()
