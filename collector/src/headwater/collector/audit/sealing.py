"""Adds seals for what arrived since the last one. Not a part of writing events: whoever wants seals runs it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from headwater.collector.audit.ledger import Ledger
from headwater.collector.maintenance.reconciling import Progress
from headwater.collector.stores.auditing import EventIds
from headwater.collector.stores.sealing import REMOVED, START, Kept, Kind, Seal, Trail
from headwater.shared import times
from headwater.shared.clock import Clock, SystemClock
from headwater.shared.errors import TransientError

GRACE_S: Final = 60.0
"""How old an event is before it is sealed: longer than a write may take, so that none can come in before it later."""
MAX_ENTRIES: Final = 1000
_SEALS: Final = 50
_TRIES: Final = 20


@dataclass(slots=True)
class Sealed:
    """What came of it."""

    events: int = 0
    """Sealed now."""
    late: int = 0
    """Of these, such as came in before the last seal's place: found by a sweep."""
    seals: int = 0
    """Made now."""
    head: Seal | None = None
    swept: bool = False

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready, with stable keys."""
        return {
            "events": self.events,
            "late": self.late,
            "seals": self.seals,
            "swept": self.swept,
            "head": self.head and f"{self.head.number}:{self.head.hash.hex()}",
        }


class Sealer:
    """Seals one store. Any number may run at once; each seal is made by one of them."""

    def __init__(
        self,
        trail: Trail,
        ids: EventIds,
        *,
        grace_s: float = GRACE_S,
        clock: Clock | None = None,
        progress: Progress | None = None,
    ) -> None:
        self._trail, self._ids, self._grace_s = trail, ids, grace_s
        self._clock = clock if clock is not None else SystemClock()
        self._progress: Progress = progress if progress is not None else lambda *_: None
        self.done = Sealed()

    async def run(self, *, sweep: bool = False) -> Sealed:
        """``sweep``: also look for events that came in before the place up to which all is sealed; done anyway where
        the numbers say that there are some. Raises TransientError or PermanentError."""
        await self._trail.prepare()
        self.done.head = await self._trail.head()
        if self.done.head is not None and (sweep or await self._miscounted()):
            await self._sweep()
        while arrived := await self._arrived():
            await self._seal(arrived, arrived[-1].place)
            self._progress("seal", self.done.events, None)
        return self.done

    async def _arrived(self) -> list[Kept]:
        """The next ones, up to the first that is too young."""
        through = self.done.head.through if self.done.head else -1
        found = await self._trail.arrived(through, MAX_ENTRIES)
        for number, each in enumerate(found):
            if self._young(each):
                return found[:number]
        return found

    def _young(self, kept: Kept) -> bool:
        return self._grace_s > 0 and self._clock.now_s() - times.to_epoch_s(kept.received_at) < self._grace_s

    async def _miscounted(self) -> bool:
        """Whether more events stand up to the last seal's place than were sealed and not taken away."""
        assert self.done.head is not None
        return await self._trail.count_through(self.done.head.through) > self.done.head.present

    async def _ledger(self) -> Ledger:
        ledger, after = Ledger(), 0
        while seals := await self._trail.seals(after, _SEALS):
            for seal in seals:
                ledger.add(seal)
            after = seals[-1].number
        return ledger

    async def _sweep(self) -> None:
        assert self.done.head is not None
        self.done.swept = True
        with await self._ledger() as ledger:
            async for some in ledger.unknown(self._ids.event_ids()):
                found = sorted(await self._trail.kept(some))
                for start in range(0, len(found), MAX_ENTRIES):
                    ours = [
                        each
                        for each in found[start : start + MAX_ENTRIES]
                        if each.place <= self.done.head.through and not self._young(each)
                    ]
                    if ours:
                        await self._seal(ours, self.done.head.through)
                        self.done.late += len(ours)

    async def _seal(self, events: Sequence[Kept], through: int) -> None:
        entries = entries_of((each.event_id, each.content) for each in events)
        now = times.now_text(self._clock)
        seal = next_seal(self.done.head, "events", entries, through=through, reason="", sealed_at=now)
        if not await self._trail.append(seal):  # they may have sealed the same events
            raise TransientError("somebody else seals this store at the same time: try again")
        self.done.head = seal
        self.done.seals += 1
        self.done.events += len(events)


def entries_of(pairs: Iterable[tuple[str, bytes]]) -> bytes:
    """Of (event id, content hash)."""
    return b"".join(bytes.fromhex(event_id) + content for event_id, content in pairs)


def next_seal(head: Seal | None, kind: Kind, entries: bytes, *, through: int, reason: str, sealed_at: str) -> Seal:
    """The link after ``head``."""
    number, previous, present = (head.number + 1, head.hash, head.present) if head else (1, START, 0)
    seal = Seal(number, kind, previous, sealed_at, through, present, reason, entries, b"")
    seal = seal._replace(present=present + (seal.size if kind == "events" else -seal.size))
    return seal._replace(hash=seal.made_hash())


async def append_removal(trail: Trail, clock: Clock, event_ids: Collection[str], reason: str) -> Seal:
    """Adds a seal that says that these events, which earlier seals name, are taken away on purpose."""
    entries = entries_of((event_id, REMOVED) for event_id in event_ids)
    for _ in range(_TRIES):
        head = await trail.head()
        through = head.through if head else -1
        seal = next_seal(head, "removed", entries, through=through, reason=reason, sealed_at=times.now_text(clock))
        if await trail.append(seal):
            return seal
    raise TransientError("others seal this store at the same time: try again")
