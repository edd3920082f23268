"""Canonical JSON, and the event id that is its hash.

Canonical: keys sorted by code point, no spaces, UTF-8 with nothing escaped that need not be, integers in decimal,
floats as Python's ``repr`` writes them (the shortest digits that read back; orjson's own form has changed between
its releases, and an id must not).
"""

from __future__ import annotations

from typing import Any

from .engine import STDLIB, Engine, default_engine

try:  # hashlib loads OpenSSL, which costs a producer 5 ms
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b


def canonical_json(value: Any, *, engine: Engine | None = None) -> bytes:
    """The canonical bytes of a JSON value. Raises TypeError or ValueError as ``dumps`` does."""
    engine = engine or default_engine()
    text = engine.dumps_sorted(value)
    return text if engine is STDLIB or not may_hold_float(skeleton(text)) else STDLIB.dumps_sorted(value)


def event_id_of(canonical: bytes) -> str:
    """32 hex digits: BLAKE2b-128 of the canonical bytes."""
    return blake2b(canonical, digest_size=16).hexdigest()


def without_escapes(raw: bytes) -> bytes:
    """JSON in which every escaped backslash or quote is two underscores: same length, and each quote left is a
    string's end. Pairs are taken from the left, as a reader takes them."""
    return raw.replace(b"\\\\", b"__").replace(b'\\"', b"__") if b"\\" in raw else raw


def skeleton(raw: bytes) -> bytes:
    """JSON without its strings and their quotes: ``{"a": [1, "b"]}`` gives ``{: [1, ]}``."""
    return b"".join(without_escapes(raw).split(b'"')[::2])


def may_hold_float(bones: bytes) -> bool:
    """Whether a skeleton holds a number with a point or an exponent."""
    if b"." in bones or b"E" in bones:
        return True
    return b"e" in bones and bones.count(b"e") != bones.count(b"true") + bones.count(b"false")
