"""A hash of the graph's whole meaning: equal for equal sets of base facts, on every engine, in any order.

Each base fact is one line of bytes (the reader's ``base_lines``); the fingerprint is the sum of the lines' SHA-256
values modulo 2^256, so no engine has to agree with another about sorting, and nothing is held in memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

from headwater.shared.codec import canonical_json


def fingerprint_of(lines: Iterable[bytes]) -> str:
    """64 hex digits. The lines must be distinct: a store keeps a fact once."""
    total = 0
    for line in lines:
        total += int.from_bytes(sha256(line).digest(), "big")
    return f"{total % (1 << 256):064x}"


def base_line(kind: str, *parts: object) -> bytes:
    """A base fact as a line: canonical JSON of its kind, key and value, all texts, numbers or None."""
    return canonical_json([kind, *parts])
