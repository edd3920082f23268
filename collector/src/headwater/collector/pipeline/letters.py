"""Envelopes of retries and dead letters: the record as it first stood, and behind its own headers what befell it.

The value, the key and the record's own headers are kept byte for byte and in order; ``HEADER_OWN_HEADERS`` says how
many there were, so that taking the envelope off restores exactly what was sent.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from headwater.shared.log import Record, StoredRecord
from headwater.shared.names import (
    HEADER_ATTEMPT,
    HEADER_ERROR,
    HEADER_EVENT_ID,
    HEADER_FAILED_STORES,
    HEADER_FIRST_FAILED_MS,
    HEADER_NOT_BEFORE_MS,
    HEADER_ORIGIN,
    HEADER_REASON,
    HEADER_WHERE,
)

HEADER_OWN_HEADERS: Final = "headwater-own-headers"
"""How many of the headers, from the first, were the record's own. Decimal."""
HEADER_ORIGIN_TIMESTAMP_MS: Final = "headwater-origin-timestamp-ms"
"""When the record was first appended: Unix time in ms, decimal."""
HEADER_STAGE: Final = "headwater-stage"
"""Where it failed: decode, project or write."""

_MAX_ERROR_CHARS = 4000
_MAX_WHERE_CHARS = 1000


class Failure(NamedTuple):
    """Why a record is diverted from the stores."""

    reason: str
    """A stable word for metrics and filters."""
    stage: str
    """decode, project or write."""
    error: str
    where: str = ""
    failed_stores: tuple[str, ...] = ()
    event_id: str = ""


class Envelope(NamedTuple):
    """A record and its history, read from its envelope or begun."""

    topic: str
    partition: int
    offset: int
    timestamp_ms: int
    """Of the first append."""
    value: bytes
    key: bytes | None
    headers: tuple[tuple[str, bytes], ...]
    """The record's own."""
    failure: Failure | None
    attempt: int
    """Failed attempts so far."""
    first_failed_ms: int | None
    not_before_ms: int | None

    def original(self) -> Record:
        """As it was first appended."""
        return Record(self.value, self.key, self.headers)

    def sealed(self, failure: Failure, *, now_ms: int, not_before_ms: int | None = None) -> Record:
        """The record to append to a retry topic (``not_before_ms`` given) or to the dead letters, one attempt later."""
        first_ms = now_ms if self.first_failed_ms is None else self.first_failed_ms
        ours = [
            (HEADER_OWN_HEADERS, str(len(self.headers))),
            (HEADER_ORIGIN, f"{self.topic}/{self.partition}/{self.offset}"),
            (HEADER_ORIGIN_TIMESTAMP_MS, str(self.timestamp_ms)),
            (HEADER_REASON, failure.reason),
            (HEADER_STAGE, failure.stage),
            (HEADER_ERROR, failure.error[:_MAX_ERROR_CHARS]),
            (HEADER_WHERE, failure.where[:_MAX_WHERE_CHARS]),
            (HEADER_FAILED_STORES, ",".join(failure.failed_stores)),
            (HEADER_EVENT_ID, failure.event_id),
            (HEADER_ATTEMPT, str(self.attempt + 1)),
            (HEADER_FIRST_FAILED_MS, str(first_ms)),
        ]
        if not_before_ms is not None:
            ours.append((HEADER_NOT_BEFORE_MS, str(not_before_ms)))
        encoded = tuple((name, text.encode("utf-8", "backslashreplace")) for name, text in ours if text)
        return Record(self.value, self.key, self.headers + encoded)


def fresh(record: StoredRecord) -> Envelope:
    """The envelope of a record from the main topic: all of its headers are its own, whatever they are called."""
    return Envelope(
        record.topic,
        record.partition,
        record.offset,
        record.timestamp_ms,
        record.value,
        record.key,
        tuple(record.headers),
        failure=None,
        attempt=0,
        first_failed_ms=None,
        not_before_ms=None,
    )


def opened(record: StoredRecord) -> Envelope:
    """The envelope of a record from a retry topic or the dead letters. One that never got an envelope (somebody else
    wrote there) counts as fresh."""
    own = _number(record, HEADER_OWN_HEADERS)
    topic, _, place = _text(record, HEADER_ORIGIN).partition("/")
    partition, _, offset = place.partition("/")
    if own is None or not 0 <= own <= len(record.headers) or not (partition.isdecimal() and offset.isdecimal()):
        return fresh(record)
    timestamp_ms = _number(record, HEADER_ORIGIN_TIMESTAMP_MS)
    stores = _text(record, HEADER_FAILED_STORES)
    return Envelope(
        topic,
        int(partition),
        int(offset),
        record.timestamp_ms if timestamp_ms is None else timestamp_ms,
        record.value,
        record.key,
        tuple(record.headers[:own]),
        Failure(
            _text(record, HEADER_REASON),
            _text(record, HEADER_STAGE),
            _text(record, HEADER_ERROR),
            _text(record, HEADER_WHERE),
            tuple(stores.split(",")) if stores else (),
            _text(record, HEADER_EVENT_ID),
        ),
        attempt=_number(record, HEADER_ATTEMPT) or 0,
        first_failed_ms=_number(record, HEADER_FIRST_FAILED_MS),
        not_before_ms=_number(record, HEADER_NOT_BEFORE_MS),
    )


def _text(record: StoredRecord, name: str) -> str:
    return (record.header(name) or b"").decode("utf-8", "replace")


def _number(record: StoredRecord, name: str) -> int | None:
    value = record.header(name)
    return int(value) if value is not None and value.isdigit() else None
