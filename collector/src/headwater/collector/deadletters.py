"""Dead letters: what could not be stored, kept byte for byte until a person replays or purges it.

The topic is append-only, so what became of a letter is said by a later record in the same topic that resolves it. That
works on Kafka as on the local log.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from headwater.collector.pipeline.letters import Envelope, Failure, opened
from headwater.collector.topics import Topics
from headwater.shared.log import Log, Record, StoredRecord, TopicPartition
from headwater.shared.log.kafka import KafkaLog

HEADER_RESOLVES: Final = "headwater-resolves"
"""Offset of the letter that this record resolves. Decimal; such a record is no letter itself."""
HEADER_RESOLUTION: Final = "headwater-resolution"
"""replayed or purged."""

State: TypeAlias = Literal["open", "replayed", "purged"]
Progress: TypeAlias = Callable[[int, int], None]
"""Called with how many are done and how many there are."""

RELEASE_GROUP: Final = "headwater-dead-letters"
"""The consumer group whose offset says before where every letter is resolved."""

_READ_RECORDS = 500
_DONE: Final[dict[bytes, State]] = {b"replayed": "replayed", b"purged": "purged"}


class Letter(NamedTuple):
    """One dead letter."""

    id: int
    """Its offset in the dead-letter topic."""
    state: State
    appended_ms: int
    """Unix time in ms when it was given up."""
    envelope: Envelope

    @property
    def failure(self) -> Failure:
        """Why; an empty one if somebody else put a bare record there."""
        return self.envelope.failure or Failure("unknown", "", "")

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready, with stable keys, the value as text (bytes that are no UTF-8 as ``\\xNN``)."""
        envelope, failure = self.envelope, self.failure
        return {
            "id": self.id,
            "state": self.state,
            "reason": failure.reason,
            "stage": failure.stage,
            "error": failure.error,
            "where": failure.where,
            "failedStores": list(failure.failed_stores),
            "eventId": failure.event_id or None,
            "attempts": envelope.attempt,
            "firstFailedMs": envelope.first_failed_ms,
            "appendedMs": self.appended_ms,
            "origin": {
                "topic": envelope.topic,
                "partition": envelope.partition,
                "offset": envelope.offset,
                "timestampMs": envelope.timestamp_ms,
            },
            "key": _text(envelope.key),
            "headers": [[name, _text(value)] for name, value in envelope.headers],
            "value": _text(envelope.value),
            "bytes": len(envelope.value),
        }


class Listing(NamedTuple):
    """Letters, oldest first."""

    letters: list[Letter]
    truncated: bool
    """There are more; ask again with ``after`` the last id."""


class Filters(NamedTuple):
    """Which letters are meant; all given conditions must hold."""

    ids: frozenset[int] | None = None
    reason: str | None = None
    store: str | None = None
    """One of the stores that do not have it."""
    since_ms: int | None = None
    """Given up at this Unix time in ms or later."""
    state: State | None = "open"
    """None: whatever became of it."""

    def match(self, letter: Letter) -> bool:
        """Whether the letter is meant."""
        failure = letter.failure
        return (
            (self.ids is None or letter.id in self.ids)
            and (self.state is None or letter.state == self.state)
            and (self.reason is None or failure.reason == self.reason)
            and (self.store is None or self.store in failure.failed_stores)
            and (self.since_ms is None or letter.appended_ms >= self.since_ms)
        )


class DeadLetters:
    """The dead letters of one main topic. Works beside a running collector."""

    def __init__(self, log: Log, topic: str) -> None:
        """``log`` is open; ``topic`` is the main topic."""
        self._log, self._main = log, topic
        self._topic = Topics(topic).dead_letters

    async def list(self, filters: Filters = Filters(), *, limit: int = 100, after: int = -1) -> Listing:  # noqa: B008
        """At most ``limit`` letters that match, with ids above ``after``."""
        found: list[Letter] = []
        async for letter in self._letters(filters, after=after):
            if len(found) == limit:
                return Listing(found, truncated=True)
            found.append(letter)
        return Listing(found, truncated=False)

    async def show(self, letter_id: int) -> Letter | None:
        """The letter, whatever became of it; None if there is none of that id."""
        async for letter in self._letters(Filters(frozenset((letter_id,)), state=None), after=letter_id - 1):
            return letter
        return None

    async def count(self, filters: Filters = Filters()) -> int:  # noqa: B008
        """How many match."""
        total = 0
        async for _ in self._letters(filters):
            total += 1
        return total

    async def replay(
        self,
        filters: Filters = Filters(),  # noqa: B008
        *,
        limit: int | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> int:
        """Appends the original records to the main topic, byte for byte with key and headers, and returns how many.

        Each letter is marked only after the log has it; a crash in between replays it once more, which changes nothing
        since events are told apart by their id. Letters that are not open any more are left alone. A letter that fails
        again becomes a new one.
        """
        return await self._resolve(filters, b"replayed", limit=limit, dry_run=dry_run, progress=progress)

    async def resolve(self, letters: Collection[Letter]) -> None:
        """Marks letters as replayed: what they say has reached the stores that lacked it by another way."""
        await self._mark(letters, b"replayed")

    async def purge(
        self,
        filters: Filters = Filters(),  # noqa: B008
        *,
        limit: int | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> int:
        """Gives letters up for good and returns how many.

        Their bytes go once no open letter stands before them: on the local log with its retention; on Kafka, where
        dead letters have none, here and at once, with everything else that is resolved and stands there (rights:
        delete). Raises TransientError; letters that are marked already stay purged, and the next call deletes them.
        """
        count = await self._resolve(filters, b"purged", limit=limit, dry_run=dry_run, progress=progress)
        if not dry_run and isinstance(self._log, KafkaLog):
            kept = await self._first_open()
            if kept > (await self._log.size(self._topic))[0]:
                await self._log.delete_before(self._topic, kept)
        return count

    async def _resolve(
        self, filters: Filters, resolution: bytes, *, limit: int | None, dry_run: bool, progress: Progress | None
    ) -> int:
        only_open = filters._replace(state="open")
        total = await self.count(only_open)
        if limit is not None:
            total = min(total, limit)
        done = 0
        batch: list[Letter] = []
        if not dry_run and total:
            end = (await self._log.size(self._topic))[1]
            async for letter in self._letters(only_open):
                if letter.id >= end:  # given up meanwhile, perhaps one that was just replayed
                    break
                if done + len(batch) == limit:
                    break
                batch.append(letter)
                if len(batch) == _READ_RECORDS:
                    done += await self._resolve_batch(batch, resolution)
                    batch = []
                    if progress is not None:
                        progress(done, max(done, total))
            done += await self._resolve_batch(batch, resolution)
            if progress is not None:
                progress(done, max(done, total))
            await self._release()
        return total if dry_run else done

    async def _resolve_batch(self, letters: Collection[Letter], resolution: bytes) -> int:
        if letters:
            if resolution == b"replayed":
                await self._log.append(self._main, [letter.envelope.original() for letter in letters])
            await self._mark(letters, resolution)
        return len(letters)

    async def _mark(self, letters: Collection[Letter], resolution: bytes) -> None:
        marks = [
            Record(b"", None, ((HEADER_RESOLVES, str(letter.id).encode()), (HEADER_RESOLUTION, resolution)))
            for letter in letters
        ]
        await self._log.append(self._topic, marks)

    async def _release(self) -> None:
        """Lets the log's retention have what stands before the first open letter. Until something is resolved no group
        is known for the topic, and the log keeps all of it."""
        first_open = await self._first_open()
        consumer = self._log.consumer(RELEASE_GROUP, [self._topic])
        try:
            await consumer.commit({TopicPartition(self._topic, 0): first_open})
        finally:
            await consumer.close()

    async def _first_open(self) -> int:
        """The offset before which every letter is resolved, and with it every mark for them."""
        end = (await self._log.size(self._topic))[1]  # first: a letter given up meanwhile stands behind it
        async for letter in self._letters(Filters()):
            return min(end, letter.id)
        return end

    async def _letters(self, filters: Filters, *, after: int = -1) -> AsyncIterator[Letter]:
        resolved: dict[int, State] = {}
        async for record in self._records(0):
            mark = _mark(record)
            if mark is not None:
                resolved[mark[0]] = mark[1]
        async for record in self._records(after + 1):
            if _mark(record) is None:
                envelope = opened(record)
                letter = Letter(record.offset, resolved.get(record.offset, "open"), record.timestamp_ms, envelope)
                if filters.match(letter):
                    yield letter

    async def _records(self, offset: int) -> AsyncIterator[StoredRecord]:
        while records := await self._log.read(self._topic, offset, max_records=_READ_RECORDS):
            for record in records:
                yield record
            offset = records[-1].offset + 1


def _mark(record: StoredRecord) -> tuple[int, State] | None:
    """What the record resolves. A letter never looks like a mark: its value is never empty with a mark as the last
    header, since envelopes end in headers of their own."""
    if record.value or not record.headers or record.headers[-1][0] != HEADER_RESOLUTION:
        return None
    resolves, resolution = record.header(HEADER_RESOLVES), _DONE.get(record.headers[-1][1])
    if resolves is None or not resolves.isdigit() or resolution is None:
        return None
    return int(resolves), resolution


def _text(value: bytes | None) -> str | None:
    return None if value is None else value.decode("utf-8", "backslashreplace")
