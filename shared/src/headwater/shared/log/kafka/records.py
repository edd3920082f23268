"""From aiokafka's record to ours."""

from __future__ import annotations

from typing import Any

from ..base import StoredRecord


def stored(message: Any) -> StoredRecord:
    """Kafka knows no value (a tombstone) and headers without one; both read as empty bytes."""
    return StoredRecord(
        message.topic,
        message.partition,
        message.offset,
        message.timestamp,
        message.value or b"",
        message.key,
        tuple((name, value or b"") for name, value in message.headers),
    )
