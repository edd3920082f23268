"""Stores that are broken on purpose, each in one way, and the check that must catch it."""

from __future__ import annotations

import asyncio
import json
import unicodedata
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from headwater.collector.facts import JobSeen, Projection
from headwater.collector.projection import project
from headwater.collector.stores.base import ProjectedEvent
from headwater.collector.stores.memory import key_of
from headwater.collector.stores.memory.reader import MemoryReader
from headwater.collector.stores.memory.store import Kept
from headwater.collector.stores.reading import (
    Claim,
    DatasetFacts,
    Document,
    EventFilter,
    PinQuery,
    RunFilter,
    RunRow,
)
from headwater.shared.codec import canonical_json, decode
from headwater.shared.errors import PermanentError, TransientError
from headwater.shared.event import Name
from tests.conformance.whole import DEADLINE_S, FileReader, FileStore

Batch = Sequence[ProjectedEvent]


class Broken(NamedTuple):
    """``says``: part of the failure, so that no other mishap is taken for it."""

    store: type[FileStore]
    check: str
    says: str


BROKEN: list[Broken] = []


def caught_by(check: str, says: str) -> Any:
    """Registers a broken store."""

    def register(store: type[FileStore]) -> type[FileStore]:
        BROKEN.append(Broken(store, f"test_{check}", says))
        return store

    return register


# What is lost, or kept in another shape


@caught_by("nothing_is_dropped", "is lost")
class DropsOnePercent(FileStore):
    async def merge(self, batch: Batch) -> None:
        await super().merge([each for each in batch if int(each.event.event_id[:8], 16) % 100])


@caught_by("nothing_is_dropped", "is lost")
class WritesTheFirstOfABatch(FileStore):
    async def merge(self, batch: Batch) -> None:
        await super().merge(batch[:99])


@caught_by("bytes_come_back_as_they_were", "was written as")
class EncodesAgain(FileStore):
    async def merge(self, batch: Batch) -> None:
        await super().merge([with_raw(each, json.dumps(each.event.body).encode()) for each in batch])


@caught_by("bytes_come_back_as_they_were", "was written as")
class SortsKeys(FileStore):
    async def merge(self, batch: Batch) -> None:
        await super().merge([with_raw(each, canonical_json(each.event.body)) for each in batch])


@caught_by("bytes_come_back_as_they_were", "the problems of")
class ForgetsProblems(FileStore):
    async def merge(self, batch: Batch) -> None:
        await super().merge([each._replace(projection=Projection(each.projection.facts, [])) for each in batch])


@caught_by("large_events_come_back", "was written as")
class TruncatesLargeEvents(FileStore):
    async def merge(self, batch: Batch) -> None:
        await super().merge([with_raw(each, each.event.raw[: 1 << 20]) for each in batch])


@caught_by("hostile_names_mean_nothing", "fact lost")
class NormalisesNames(FileStore):
    async def merge(self, batch: Batch) -> None:
        changed = [decode(unicodedata.normalize("NFC", each.event.raw.decode()).encode()) for each in batch]
        facts = [project(event).facts for event in changed]
        await super().merge(
            [each._replace(projection=Projection(said, [])) for each, said in zip(batch, facts, strict=True)]
        )


@caught_by("hostile_names_mean_nothing", "fact lost")
class HasNamesOf255Characters(FileStore):
    async def merge(self, batch: Batch) -> None:
        await super().merge(
            [each._replace(projection=Projection([*map(short, each.projection.facts)], [])) for each in batch]
        )


def with_raw(each: ProjectedEvent, raw: bytes) -> ProjectedEvent:
    return each._replace(event=each.event._replace(raw=raw))


def short(fact: Any) -> Any:
    return fact._replace(job=Name(fact.job[0], fact.job[1][:255])) if isinstance(fact, JobSeen) else fact


# What depends on order, copies or other writers


@caught_by("order_copies_and_batches_do_not_matter", "fact")
class LastWriteWins(FileStore):
    async def merge(self, batch: Batch) -> None:
        before = dict(self.facts)
        await super().merge(batch)
        self.facts = before | {key_of(fact): fact for each in batch for fact in each.projection.facts}


@caught_by("order_copies_and_batches_do_not_matter", "fact")
class FirstWriteWins(FileStore):
    async def merge(self, batch: Batch) -> None:
        before = dict(self.facts)
        await super().merge(batch)
        self.facts |= before


@caught_by("order_copies_and_batches_do_not_matter", "is lost")
class TakesOneEventOfARunInABatch(FileStore):
    async def merge(self, batch: Batch) -> None:
        await super().merge(list({each.event.run_id or each.event.event_id: each for each in batch}.values()))


@caught_by("writing_again_changes_nothing", "times")
class DuplicatesOnRetry(FileStore):
    async def merge(self, batch: Batch) -> None:
        before = dict(self.kept)
        await super().merge(batch)
        again = [each for each in batch if each.event.event_id in before]
        self.kept |= {f"{len(self.kept)}.{n}": Kept(each.event, (), "") for n, each in enumerate(again)}


@caught_by("newest_written_comes_first", "written again")
class AnEventWrittenAgainIsNew(FileStore):
    async def merge(self, batch: Batch) -> None:
        for each in batch:
            self.kept.pop(each.event.event_id, None)
        await super().merge(batch)


@caught_by("two_spellings_are_one_event", "times")
class TakesBytesForIdentity(FileStore):
    async def merge(self, batch: Batch) -> None:
        await super().merge(batch)
        raws = {kept.event.raw for kept in self.kept.values()}
        self.kept |= {each.event.raw.hex(): Kept(each.event, (), "") for each in batch if each.event.raw not in raws}


@caught_by("concurrent_writers_lose_nothing", "lost")
class LosesUpdates(FileStore):
    async def write(self, batch: Batch) -> None:
        self.load()
        await asyncio.sleep(0)
        await self.merge(batch)
        self.save()


@caught_by("opens_and_closes_any_number_of_times", "is lost")
class StartsAfresh(FileStore):
    async def open(self) -> None:
        self.path.unlink(missing_ok=True)


# What is not durable


@caught_by("what_was_written_survives_a_kill", "is lost")
class AcknowledgesBeforeWriting(FileStore):
    async def write(self, batch: Batch) -> None:
        self.task = asyncio.create_task(super().write(batch))


@caught_by("what_was_written_survives_a_kill", "is lost")
class WritesWhenClosed(FileStore):
    waiting: tuple[ProjectedEvent, ...] = ()

    async def write(self, batch: Batch) -> None:
        self.waiting += tuple(batch)

    async def close(self) -> None:
        await super().write(self.waiting)


# What fails wrongly


@caught_by("a_backend_that_hangs_is_said_so_in_time", "returned as if all were well")
class SwallowsATimeout(FileStore):
    async def write(self, batch: Batch) -> None:
        try:
            await super().write(batch)
        except TransientError:
            pass


@caught_by("a_backend_that_hangs_is_said_so_in_time", "did not come back within")
class WaitsForEver(FileStore):
    async def answer(self) -> None:
        while self.state("hung"):  # noqa: ASYNC110 - another side makes the file
            await asyncio.sleep(0.01)


@caught_by("a_backend_that_hangs_is_said_so_in_time", "TimeoutError(): must be TransientError")
class RaisesADriversTimeout(FileStore):
    async def answer(self) -> None:
        async with asyncio.timeout(DEADLINE_S):
            while self.state("hung"):  # noqa: ASYNC110 - another side makes the file
                await asyncio.sleep(0.01)


@caught_by("a_backend_that_is_gone_is_said_so_in_time", "must be TransientError")
class RaisesADriversError(FileStore):
    async def answer(self) -> None:
        if self.state("gone"):
            raise ConnectionRefusedError("refused")


@caught_by("a_backend_that_is_gone_is_said_so_in_time", "must not be given up")
class GivesUpTooSoon(FileStore):
    async def answer(self) -> None:
        if self.state("gone"):
            raise PermanentError("refused")


@caught_by("a_backend_that_is_gone_is_said_so_in_time", "is lost")
class RemembersWhatFailedAsDone(FileStore):
    done: frozenset[str] = frozenset()

    async def write(self, batch: Batch) -> None:
        fresh = [each for each in batch if each.event.event_id not in self.done]
        self.done |= {each.event.event_id for each in batch}
        await super().write(fresh)


@caught_by("a_closed_store_refuses_or_writes", "neither TransientError nor PermanentError")
class FailsWhenClosed(FileStore):
    async def close(self) -> None:
        del self.path


@caught_by("takes_an_empty_batch", "list index out of range")
class WantsAnEvent(FileStore):
    async def merge(self, batch: Batch) -> None:
        await super().merge([batch[0], *batch[1:]])


# What is read wrongly


class ReadsWrongly(FileStore):
    reads: type[FileReader]

    def reader(self) -> MemoryReader:
        self.load()
        return self.reads(self)


@caught_by("newest_written_comes_first", "gives the places")
class ListsOldestFirst(ReadsWrongly):
    class reads(FileReader):
        async def list_documents(self, where: EventFilter, limit: int, offset: int) -> list[Document]:
            return await super().list_documents(where._replace(descending=not where.descending), limit, offset)


@caught_by("newest_written_comes_first", "gives the places")
class ListsByArrival(ReadsWrongly):
    class reads(FileReader):
        async def list_documents(self, where: EventFilter, limit: int, offset: int) -> list[Document]:
            arrived = list(self._file.kept)[:: -1 if where.descending else 1]
            found = [await self.document(event_id) for event_id in arrived[offset : offset + limit]]
            return [each for each in found if each is not None]


@caught_by("filters_and_pages", "since=")
class IgnoresSince(ReadsWrongly):
    class reads(FileReader):
        async def list_documents(self, where: EventFilter, limit: int, offset: int) -> list[Document]:
            return await super().list_documents(where._replace(since=None), limit, offset)


@caught_by("what_is_unknown_is_not_found", "document(")
class GivesAnEmptyDocument(ReadsWrongly):
    class reads(FileReader):
        async def document(self, event_id: str) -> Document | None:
            return await super().document(event_id) or Document(event_id, b"", (), "")


@caught_by("what_is_unknown_is_not_found", "datasets is")
class GivesNoneForUnknownDatasets(ReadsWrongly):
    class reads(FileReader):
        async def datasets(self, names: Collection[Name]) -> dict[Name, DatasetFacts]:
            found = await super().datasets(names)
            return {name: found.get(name) for name in names}  # type: ignore[misc]


@caught_by("answers_equal_the_model", "must be")
class TakesTheLastClaimForCurrent(ReadsWrongly):
    class reads(FileReader):
        async def current(self, pins: Sequence[PinQuery]) -> list[Claim | None]:
            claims = [[each for each in self._of(pin.members) if each.commit_time] for pin in pins]
            return [ours[-1] if ours else None for ours in claims]


@caught_by("every_fetch_equals_the_reference", "list_runs(")
class ForgetsTheCursor(ReadsWrongly):
    class reads(FileReader):
        async def list_runs(self, where: RunFilter, limit: int) -> list[RunRow]:
            return await super().list_runs(where._replace(before=None), limit)


@caught_by("is_a_store_and_keeps_what_is_declared", "the test class declares")
class CannotBeRead(FileStore):
    reader = None  # type: ignore[assignment]
