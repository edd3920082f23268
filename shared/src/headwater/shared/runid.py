"""Run ids: UUIDs in one spelling; what is no UUID is mapped to one, always to the same."""

from __future__ import annotations

import re

_UUID = re.compile(
    r"(?:urn:uuid:)?\{?([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})\}?",
    re.ASCII | re.IGNORECASE,
).fullmatch


def run_uuid(text: str) -> str:
    """The run id as a UUID, lower case with dashes.

    A text that is no UUID becomes what Java's ``UUID.nameUUIDFromBytes`` makes of its UTF-8 bytes (MD5, version 3, no
    namespace), as in Marquez, so that both name the same run alike. Raises ValueError for a lone surrogate.
    """
    if match := _UUID(text):
        return "-".join(match.groups()).lower()
    digest = bytearray(_md5(text.encode()))
    digest[6] = digest[6] & 0x0F | 0x30
    digest[8] = digest[8] & 0x3F | 0x80
    return dashed(digest.hex())


def dashed(digits: str) -> str:
    """A UUID of its 32 hex digits, as it is written."""
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def _md5(data: bytes) -> bytes:
    import hashlib  # rarely needed, and slow to import

    return hashlib.md5(data, usedforsecurity=False).digest()
