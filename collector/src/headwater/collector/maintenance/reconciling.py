"""Compares stores by the events that they hold, and writes to each what it lacks and another has whole."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Iterable
from random import Random
from typing import Final, NamedTuple, TypeAlias

from headwater.collector.maintenance.parties import Party, parties_of
from headwater.collector.maintenance.report import Report, Trouble
from headwater.collector.maintenance.seen import Seen
from headwater.collector.pipeline.letters import Failure
from headwater.collector.pipeline.pace import Pace
from headwater.collector.pipeline.prepare import Preparer
from headwater.collector.pipeline.writing import WritePath
from headwater.collector.policy import RetryPolicy
from headwater.collector.projection import project
from headwater.collector.stores.base import ProjectedEvent
from headwater.collector.stores.composite import CompositeLineageStore
from headwater.collector.stores.reading import Document
from headwater.shared import times
from headwater.shared.clock import Clock, SystemClock
from headwater.shared.codec import decode
from headwater.shared.errors import TransientError

Progress: TypeAlias = Callable[[str, int, int | None], None]
"""What is done, how many, of how many (None: not known)."""

GRACE_S: Final = 10.0
_BATCH, _BATCH_BYTES = 500, 8 * 1024 * 1024
_FETCHED = 8
"""Documents fetched at once: one may have 16 MiB."""
_MAX_PARKED = 100_000
_SCANNED = 2_000


class Lack(NamedTuple):
    """An event, and the stores (by number) that lacked it."""

    event_id: str
    stores: frozenset[int]


class Reconciler:
    """Compares the open members of ``stores``.

    1. The ids that each store holds are read once. What not all of them hold is looked up again one by one, since
       collectors write meanwhile.
    2. An event that is still missing and younger than ``grace_s`` is taken up again when it is older: a collector may
       be writing it. One that no store has whole waits as well.
    3. The others are fetched, decoded, projected and written to the stores that lack them, as a collector would.

    All of it is idempotent, so it may be broken off anywhere and begun again. Memory does not grow with the number of
    events; ids wait in a scratch file.
    """

    def __init__(
        self,
        stores: CompositeLineageStore,
        report: Report,
        *,
        only: Collection[str] | None = None,
        grace_s: float = GRACE_S,
        retry: RetryPolicy | None = None,
        pace: Pace | None = None,
        clock: Clock | None = None,
        progress: Progress | None = None,
    ) -> None:
        """``report``: is written while the work goes on; its ``dry_run`` says that nothing is to be written to stores.
        ``only``: names of the stores to repair; None: all."""
        self.report = report
        self._stores = stores
        self._parties, report.not_compared = parties_of(member.store for member in stores.members.values())
        self._wanted = frozenset(
            number for number, party in enumerate(self._parties) if only is None or party.name in only
        )
        self._grace_s = grace_s
        self._pace = pace if pace is not None else Pace()
        self._clock = clock if clock is not None else SystemClock()
        self._writes = WritePath(stores, retry or RetryPolicy(), self._pace, Random())  # noqa: S311 - jitter
        self._preparer = Preparer(decode, project)
        self._progress = progress if progress is not None else lambda *_: None
        self._parked: list[Lack] = []
        self._pending: dict[int, list[ProjectedEvent]] = {}
        self._pending_bytes = 0

    async def run(self) -> None:
        """Raises TransientError if a store fails; what was repaired until then stays repaired and is in the report."""
        if len(self._parties) > 1:
            with Seen() as seen:
                for number, party in enumerate(self._parties):
                    await self._scan(seen, number, party)
                await self._settle_all(seen)
        self.report.complete = True

    async def _scan(self, seen: Seen, number: int, party: Party) -> None:
        count = 0
        self.report.held[party.name] = 0
        async for some in _paged(party.ids.event_ids()):
            seen.add(number, some)
            count += len(some)
            self.report.held[party.name] = count
            self._progress(f"read {party.name}", count, max(self.report.held.values()))

    async def _settle_all(self, seen: Seen) -> None:
        total, done = seen.count_lacking(len(self._parties)), 0
        for page in seen.lacking(len(self._parties)):
            lacks = [Lack(event_id, stores & self._wanted) for event_id, stores in page]
            await self._settle([lack for lack in lacks if lack.stores], patient=True)
            done += len(page)
            self._progress("compare", done, total)
        parked, self._parked = self._parked, []
        if parked:
            self._progress("wait for events under way", 0, len(parked))
            await self._pace.pause(self._grace_s)
            for start in range(0, len(parked), _BATCH):
                await self._settle(parked[start : start + _BATCH], patient=False)
        await self._flush()

    async def _settle(self, lacks: Iterable[Lack], *, patient: bool) -> None:
        lacking = await self._still(lacks)
        for start in range(0, len(lacking), _FETCHED):
            some = lacking[start : start + _FETCHED]
            documents = await asyncio.gather(*map(self._document, some))
            for lack, document in zip(some, documents, strict=True):
                if patient and len(self._parked) < _MAX_PARKED and self._young(document):
                    self._parked.append(lack)
                elif document is None:
                    self._has_no_document(lack)
                else:
                    self._take(lack, document)
            if self._pending_bytes >= _BATCH_BYTES or max(map(len, self._pending.values()), default=0) >= _BATCH:
                await self._flush()

    async def _still(self, lacks: Iterable[Lack]) -> list[Lack]:
        """What is lacking now."""
        lacks = list(lacks)
        known: dict[int, set[str]] = {}
        for number in {number for lack in lacks for number in lack.stores}:
            asked = [lack.event_id for lack in lacks if number in lack.stores]
            known[number] = await self._parties[number].ids.known_events(asked)
        still = [Lack(one, frozenset(n for n in stores if one not in known[n])) for one, stores in lacks]
        return [lack for lack in still if lack.stores]

    async def _document(self, lack: Lack) -> Document | None:
        for number, party in enumerate(self._parties):
            if party.documents is not None and number not in lack.stores:
                document = await party.documents.document(lack.event_id)
                if document is not None:
                    return document
        return None

    def _young(self, document: Document | None) -> bool:
        if self._grace_s <= 0:
            return False
        return document is None or self._clock.now_s() - times.to_epoch_s(document.received_at) < self._grace_s

    def _has_no_document(self, lack: Lack) -> None:
        self.report.without_document += 1
        self.report.note("withoutDocument", Trouble(lack.event_id, None, "no store has this event whole"))

    def _take(self, lack: Lack, document: Document) -> None:
        names = [self._parties[number].name for number in sorted(lack.stores)]
        self.report.lacked.update(names)
        for name in names:
            self.report.note("lacked", Trouble(lack.event_id, name, "another store has it"))
        prepared: list[ProjectedEvent] = []
        result = self._preparer.prepare_one(document.raw, {}, prepared)
        wrong = f"{result.reason}: {result.error}" if isinstance(result, Failure) else ""
        if prepared and prepared[0].event.event_id != lack.event_id:
            wrong = f"its bytes have the id {prepared[0].event.event_id} now"
        if wrong:
            self.report.unreadable += 1
            self.report.note("unreadable", Trouble(lack.event_id, None, wrong))
            return
        if self.report.dry_run:
            return
        self._pending_bytes += len(document.raw)
        for number in lack.stores:
            self._pending.setdefault(number, []).extend(prepared)

    async def _flush(self) -> None:
        pending, self._pending, self._pending_bytes = self._pending, {}, 0
        for number, batch in pending.items():
            await self._write(self._parties[number].name, batch)

    async def _write(self, store: str, batch: list[ProjectedEvent]) -> None:
        report = await self._writes.write(batch, only=(store,))
        self.report.repaired[store] += len(batch) - len(report.refused) - len(report.failed)
        for index, errors in report.refused.items():
            self.report.refused[store] += 1
            self.report.note("refused", Trouble(batch[index].event.event_id, store, str(errors[store])))
        for errors_now in report.failed.values():
            raise TransientError(f"{store}: {errors_now[store]}")
        self._progress(f"repair {store}", self.report.repaired[store], None)


async def _paged(event_ids: AsyncIterator[str]) -> AsyncIterator[list[str]]:
    page: list[str] = []
    async for event_id in event_ids:
        page.append(event_id)
        if len(page) == _SCANNED:
            yield page
            page = []
    if page:
        yield page
