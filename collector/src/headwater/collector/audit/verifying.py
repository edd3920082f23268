"""Reads the whole chain and every event that it names, and says which are not what they were."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from headwater.collector.audit.ledger import Entry, Ledger
from headwater.collector.maintenance.reconciling import Progress
from headwater.collector.stores.auditing import EventIds
from headwater.collector.stores.sealing import START, Kept, Seal, Trail

MAX_FINDINGS: Final = 1000
"""Named; all are counted."""
_SEALS: Final = 50


class Finding(NamedTuple):
    """Something that is not as it was sealed."""

    kind: str
    """altered, missing, returned (taken away on purpose, and there again), chain (the seal itself), anchor."""
    event_id: str | None
    seal: int | None
    """Whose entry it is."""
    sealed_at: str | None
    message: str

    def as_dict(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "eventId": self.event_id,
            "seal": self.seal,
            "sealedAt": self.sealed_at,
            "message": self.message,
        }


class Anchor(NamedTuple):
    """A seal whose hash was kept elsewhere."""

    number: int
    hash: str


@dataclass(slots=True)
class Verified:
    """What came of it; grows while the work goes on."""

    seals: int = 0
    events: int = 0
    """Named by the chain."""
    removed: int = 0
    """Of these, taken away on purpose, as the chain says."""
    unsealed: int = 0
    """Stored, and named by no seal."""
    late: int = 0
    """Of these, such as stand before the last seal's place; `headwater audit seal` takes them in."""
    head: Seal | None = None
    anchored: bool = False
    """An anchor was given and is in the chain."""
    found: int = 0
    findings: list[Finding] = field(default_factory=list)
    complete: bool = False

    @property
    def intact(self) -> bool:
        return self.complete and not self.found

    def note(self, finding: Finding) -> None:
        self.found += 1
        if len(self.findings) < MAX_FINDINGS:
            self.findings.append(finding)

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready, with stable keys."""
        return {
            "intact": self.intact,
            "complete": self.complete,
            "seals": self.seals,
            "events": self.events,
            "removed": self.removed,
            "unsealed": self.unsealed,
            "late": self.late,
            "head": self.head and f"{self.head.number}:{self.head.hash.hex()}",
            "anchored": self.anchored,
            "found": self.found,
            "findings": [each.as_dict() for each in self.findings],
            "truncated": self.found > len(self.findings),
        }


class Verifier:
    """Verifies one store. Memory does not grow with the number of events. Sealers and collectors may go on."""

    def __init__(
        self, trail: Trail, ids: EventIds, *, anchors: Sequence[Anchor] = (), progress: Progress | None = None
    ) -> None:
        self._trail, self._ids = trail, ids
        self._anchors = {anchor.number: anchor for anchor in anchors}
        self._progress: Progress = progress if progress is not None else lambda *_: None
        self._sealed_at: dict[int, str] = {}
        self.done = Verified()

    async def run(self) -> Verified:
        """Raises TransientError or PermanentError."""
        with Ledger() as ledger:
            await self._chain(ledger)
            self.done.events = ledger.count()
            present = await self._events(ledger)
            if self.done.head is not None:
                stored = await self._trail.count_through(self.done.head.through)
                self.done.late = max(0, stored - present)
            async for some in ledger.unknown(self._ids.event_ids()):
                self.done.unsealed += len(some)
        self.done.late = min(self.done.late, self.done.unsealed)
        self.done.complete = True
        return self.done

    async def _chain(self, ledger: Ledger) -> None:
        done, last = self.done, None
        while seals := await self._trail.seals(last.number if last else 0, _SEALS):
            for seal in seals:
                self._link(last, seal)
                ledger.add(seal)
                last, done.seals = seal, done.seals + 1
                self._sealed_at[seal.number] = seal.sealed_at
        done.head = last
        for anchor in self._anchors.values():
            done.note(
                Finding("anchor", None, anchor.number, None, f"the chain has no seal {anchor.number}: it was cut off")
            )

    def _link(self, last: Seal | None, seal: Seal) -> None:
        number, previous = (last.number + 1, last.hash) if last else (1, START)
        wrong = ""
        if seal.number != number:
            wrong = f"seal {number} is missing" if seal.number == number + 1 else f"seals from {number} are missing"
        elif seal.previous != previous:
            wrong = f"seal {seal.number} does not follow from the one before it"
        elif seal.made_hash() != seal.hash:
            wrong = f"seal {seal.number} was altered"
        if wrong:
            self.done.note(Finding("chain", None, seal.number, seal.sealed_at, wrong))
        if (anchor := self._anchors.pop(seal.number, None)) is not None:
            if anchor.hash == seal.hash.hex():
                self.done.anchored = True
            else:
                message = f"seal {seal.number} is another one than the anchor says: the chain was made anew"
                self.done.note(Finding("anchor", None, seal.number, seal.sealed_at, message))

    async def _events(self, ledger: Ledger) -> int:
        """How many of the events that the chain names, and did not see taken away, are there."""
        present = looked = 0
        for page in ledger.pages():
            kept = {each.event_id: each for each in await self._trail.kept([entry.event_id for entry in page])}
            for entry in page:
                self._compare(entry, kept.get(entry.event_id))
                present += entry.event_id in kept
            looked += len(page)
            self._progress("verify", looked, self.done.events)
        return present

    def _compare(self, entry: Entry, now: Kept | None) -> None:
        if entry.content is None:
            self.done.removed += 1
            if now is not None:
                self._note("returned", entry, "was taken away on purpose and is there again: somebody sent it anew")
        elif now is None:
            self._note("missing", entry, "was stored and is gone")
        elif now.content != entry.content:
            self._note("altered", entry, f"is not what was sealed; received {now.received_at[:19]}Z")

    def _note(self, kind: str, entry: Entry, message: str) -> None:
        sealed_at = self._sealed_at.get(entry.seal)
        self.done.note(Finding(kind, entry.event_id, entry.seal, sealed_at, f"event {entry.event_id} {message}"))
