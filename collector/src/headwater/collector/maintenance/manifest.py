"""Brings stores what they could not take: the dead letters that name them are the manifest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from headwater.collector.deadletters import DeadLetters, Filters, Letter
from headwater.collector.maintenance.reconciling import Progress
from headwater.collector.maintenance.report import MAX_EXAMPLES, Trouble
from headwater.collector.pipeline.letters import Failure
from headwater.collector.pipeline.pace import Pace
from headwater.collector.pipeline.prepare import Preparer
from headwater.collector.pipeline.writing import WritePath
from headwater.collector.policy import RetryPolicy
from headwater.collector.projection import project
from headwater.collector.stores.base import ProjectedEvent
from headwater.collector.stores.composite import CompositeLineageStore
from headwater.shared.codec import decode
from headwater.shared.errors import TransientError

_LETTERS: Final = 100
"""Of one step: a letter may have 16 MiB."""
_BYTES: Final = 8 * 1024 * 1024


@dataclass(slots=True)
class Caught:
    """What became of the letters; grows while the work goes on."""

    dry_run: bool = False
    letters: int = 0
    """Open ones that name a store of ours."""
    stored: int = 0
    """Of these, now in the stores that were asked."""
    left: int = 0
    """Still refused, or unreadable: they stay open."""
    examples: list[Trouble] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready, with stable keys."""
        return {
            "dryRun": self.dry_run,
            "letters": self.letters,
            "stored": self.stored,
            "left": self.left,
            "examples": [each.as_dict() for each in self.examples],
        }


class Catcher:
    """Writes the events of open dead letters to the stores that lacked them, and to no other; then marks the letters
    as replayed. A crash in between writes one again, which changes nothing. Works beside running collectors."""

    def __init__(
        self,
        letters: DeadLetters,
        stores: CompositeLineageStore,
        caught: Caught,
        *,
        retry: RetryPolicy | None = None,
        progress: Progress | None = None,
    ) -> None:
        """``stores``: open."""
        self._letters, self._stores, self._caught = letters, stores, caught
        self._writes = WritePath(stores, retry or RetryPolicy(), Pace(), Random())  # noqa: S311 - jitter
        self._preparer = Preparer(decode, project)
        self._progress: Progress = progress if progress is not None else lambda *_: None

    async def run(self, store: str | None = None) -> None:
        """``store``: only what this one lacks. Raises TransientError if a store fails."""
        filters, after = Filters(store=store), -1
        total = await self._letters.count(filters)
        while letters := (await self._letters.list(filters, limit=_LETTERS, after=after)).letters:
            after = letters[-1].id
            ours = [letter for letter in letters if self._lacking(letter, store)]
            self._caught.letters += len(ours)
            if not self._caught.dry_run:
                await self._store(ours, store)
            self._progress("dead letters", self._caught.letters, total)

    def _lacking(self, letter: Letter, store: str | None) -> tuple[str, ...]:
        failed = letter.failure.failed_stores
        return tuple(sorted(name for name in failed if name in self._stores.members and store in (None, name)))

    async def _store(self, letters: Sequence[Letter], store: str | None) -> None:
        """Letters that the same stores lack together, a few MiB at a time."""
        groups: dict[tuple[str, ...], list[Letter]] = {}
        for letter in letters:
            groups.setdefault(self._lacking(letter, store), []).append(letter)
        for names, group in groups.items():
            some: list[Letter] = []
            for letter in group:
                some.append(letter)
                if sum(len(each.envelope.value) for each in some) >= _BYTES:
                    await self._store_some(names, some)
                    some = []
            if some:
                await self._store_some(names, some)

    async def _store_some(self, names: tuple[str, ...], letters: list[Letter]) -> None:
        batch: list[ProjectedEvent] = []
        owners: list[Letter] = []
        for letter in letters:
            prepared: list[ProjectedEvent] = []
            result = self._preparer.prepare_one(letter.envelope.value, {}, prepared)
            if isinstance(result, Failure):
                self._leave(letter, ", ".join(names), f"{result.reason}: {result.error}")
            else:
                batch += prepared
                owners.append(letter)
        report = await self._writes.write(batch, only=names)
        done: list[Letter] = []
        for index, letter in enumerate(owners):
            if index in report.failed:
                continue
            errors = report.refused.get(index, {})
            if errors:
                self._leave(letter, ", ".join(errors), "; ".join(map(str, errors.values())))
            elif set(letter.failure.failed_stores) <= set(names):
                done.append(letter)
            else:  # another store lacks it still
                self._caught.stored += 1
        if done:
            await self._letters.resolve(done)
            self._caught.stored += len(done)
        for failed in report.failed.values():
            raise TransientError("; ".join(f"{name}: {error}" for name, error in failed.items()))

    def _leave(self, letter: Letter, store: str, reason: str) -> None:
        self._caught.left += 1
        if len(self._caught.examples) < MAX_EXAMPLES:
            self._caught.examples.append(Trouble(letter.failure.event_id or f"letter {letter.id}", store, reason))
