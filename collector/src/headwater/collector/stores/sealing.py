"""What a store offers whose documents are sealed: chained by hashes, so that what is altered or removed later shows.

A seal is a record beside the documents. It lists events by id and content hash, and holds the hash of the seal before
it. Of several entries about one event the latest counts; an entry with the hash ``REMOVED`` says that the event was
taken away on purpose, and the seal says why.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from hashlib import sha256
from typing import Final, Literal, NamedTuple, Protocol, runtime_checkable

from headwater.shared.canonical import canonical_json
from headwater.shared.engine import default_engine
from headwater.shared.errors import InvalidEventError
from headwater.shared.limits import Limits
from headwater.shared.strict import parse

ID_BYTES: Final = 16
HASH_BYTES: Final = 32
REMOVED: Final = bytes(HASH_BYTES)
START: Final = bytes(HASH_BYTES)
"""What the first seal names as the one before it."""
_MARK: Final = "headwater.seal/1"
_LIMITS: Final = Limits(max_event_bytes=1 << 31, max_depth=1000)
"""What was stored was within the limits of its time; a hash must not depend on today's."""

Kind = Literal["events", "removed"]


class Kept(NamedTuple):
    """A stored event, as sealing looks at it."""

    place: int
    """In the store's order of arrival."""
    event_id: str
    content: bytes
    """See ``content_hash``."""
    received_at: str


class Seal(NamedTuple):
    """One link of the chain."""

    number: int
    """From 1, without gaps."""
    kind: Kind
    previous: bytes
    """The hash of the seal before it."""
    sealed_at: str
    """Canonical."""
    through: int
    """Every event up to this place was looked at."""
    present: int
    """How many events of the chain should be stored now."""
    reason: str
    """Of a removal; else empty."""
    entries: bytes
    """For each event its id (16 bytes) and its content hash (32)."""
    hash: bytes

    @property
    def size(self) -> int:
        """How many entries."""
        return len(self.entries) // (ID_BYTES + HASH_BYTES)

    def pairs(self) -> Iterator[tuple[bytes, bytes]]:
        """(event id, content hash)."""
        for start in range(0, len(self.entries) - HASH_BYTES, ID_BYTES + HASH_BYTES):
            middle = start + ID_BYTES
            yield self.entries[start:middle], self.entries[middle : middle + HASH_BYTES]

    def made_hash(self) -> bytes:
        """What ``hash`` must be: of everything else in the seal."""
        return sha256(
            canonical_json(
                [
                    _MARK,
                    self.number,
                    self.kind,
                    self.previous.hex(),
                    self.sealed_at,
                    self.through,
                    self.present,
                    self.reason,
                    self.size,
                    sha256(self.entries).hexdigest(),
                ]
            )
        ).digest()


def content_hash(raw: bytes, received_at: str) -> bytes:
    """SHA-256 of what the event says and when it was first stored. Another spelling of the same JSON has the same
    hash, since a store keeps the lesser of several; bytes that are no event are hashed as they are."""
    try:
        said = b"event\0" + parse(raw, _LIMITS, default_engine())[1]
    except InvalidEventError:
        said = b"bytes\0" + raw
    return sha256(received_at.encode() + b"\0" + said).digest()


@runtime_checkable
class Trail(Protocol):
    """The seals of one store, and its documents in order of arrival. Raises TransientError or PermanentError."""

    async def prepare(self) -> None:
        """Makes what sealing needs beside the documents. Idempotent."""
        ...

    async def head(self) -> Seal | None:
        """The last seal."""
        ...

    async def seals(self, after: int, limit: int) -> list[Seal]:
        """Those with a greater number, in order."""
        ...

    async def append(self, seal: Seal) -> bool:
        """Durable when it returns. False: somebody else made a seal of this number."""
        ...

    async def arrived(self, after: int, limit: int) -> list[Kept]:
        """The next documents in order of arrival, at most ``limit``, at least one if there is one."""
        ...

    async def kept(self, event_ids: Collection[str]) -> list[Kept]:
        """Those that are stored, in any order."""
        ...

    async def count_through(self, place: int) -> int:
        """How many documents stand at this place or before it."""
        ...


@runtime_checkable
class Sealable(Protocol):
    """An open store whose documents can be sealed."""

    def trail(self) -> Trail: ...
