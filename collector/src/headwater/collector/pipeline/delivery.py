"""One prepared batch to the stores, and what they do not take to the retry and dead-letter topics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from headwater.collector.pipeline.divert import Diversion, Diverter, StoppedError
from headwater.collector.pipeline.letters import Envelope, Failure, fresh, opened
from headwater.collector.pipeline.outcome import Outcome, Settlement
from headwater.collector.pipeline.parts import Parts
from headwater.collector.pipeline.prepare import Prepared
from headwater.collector.stores.base import ProjectedEvent
from headwater.shared.errors import HeadwaterError

_MAX_ERROR_CHARS = 300
"""Of what a caller who waits is told; the dead letter has it all."""


class Delivery:
    """Of one lane. When ``deliver`` returns, every record of the batch is settled."""

    def __init__(self, parts: Parts, lane: str, *, from_retry: bool) -> None:
        self._parts, self._from_retry = parts, from_retry
        self._diverter = Diverter(parts, lane)
        self._waiting: str | None = None

    @property
    def trouble(self) -> str | None:
        """Why the batch in hand does not move on at present."""
        return self._diverter.held or self._waiting

    async def deliver(self, prepared: Prepared) -> list[Settlement]:
        """Returns a settlement for each record that is not in every store. Raises StoppedError."""
        diversions = [
            Diversion(position, self._envelope(prepared, position), failure, None)
            for position, failure in prepared.refusals.items()
        ]
        if self._from_retry:
            for stores, positions in self._by_stores(prepared).items():
                diversions += await self._deliver_to(stores, prepared, positions)
        elif prepared.events:
            diversions += await self._write(None, prepared, prepared.events, prepared.owners)
        if diversions:
            await self._diverter.divert(diversions)
        settlements = self._settlements(prepared, diversions)
        self._count(prepared, settlements)
        return list(settlements.values())

    def _envelope(self, prepared: Prepared, position: int) -> Envelope:
        record = prepared.records[position]
        return opened(record) if self._from_retry else fresh(record)

    def _by_stores(self, prepared: Prepared) -> dict[tuple[str, ...], list[int]]:
        groups: dict[tuple[str, ...], list[int]] = {}
        for position, owner in enumerate(prepared.owners):
            if owner >= 0:
                failure = self._envelope(prepared, position).failure
                groups.setdefault(() if failure is None else failure.failed_stores, []).append(position)
        return groups

    async def _deliver_to(self, stores: tuple[str, ...], prepared: Prepared, positions: list[int]) -> list[Diversion]:
        """A retry: to the stores named, to all if none is."""
        gone = [name for name in stores if name not in self._parts.writes.stores.members]
        diversions = []
        if gone:
            failure = Failure("unknown_store", "write", "no longer configured", failed_stores=tuple(gone))
            diversions = [
                Diversion(at, self._envelope(prepared, at), failure, None, _run_of(prepared, at)) for at in positions
            ]
        only = [name for name in stores if name not in gone]
        if only or not stores:
            chosen = sorted({prepared.owners[position] for position in positions})
            renumbered = {owner: index for index, owner in enumerate(chosen)}
            wanted = set(positions)
            owners = [renumbered[o] if at in wanted else -1 for at, o in enumerate(prepared.owners)]
            events = [prepared.events[owner] for owner in chosen]
            diversions += await self._write(only or None, prepared, events, owners)
        return diversions

    async def _write(
        self, only: list[str] | None, prepared: Prepared, events: Sequence[ProjectedEvent], owners: Sequence[int]
    ) -> list[Diversion]:
        await self._until_ready(only)
        report = await self._parts.writes.write(events, only=only, split_failures=self._from_retry)
        if not report.failed and not report.refused:
            return []
        if self._parts.pace.stopping and report.failed:
            raise StoppedError  # its tries were cut short, so this is no verdict
        diversions = []
        for position, owner in enumerate(owners):
            if owner in report.refused:
                failure = _failure("refused", report.refused[owner], events[owner])
                envelope = self._envelope(prepared, position)
                diversions.append(Diversion(position, envelope, failure, None, events[owner].event.run_id))
            if owner in report.failed:
                envelope = self._envelope(prepared, position)
                rung = self._parts.retry.rung(envelope.attempt + 1)
                reason = "store_down" if rung is not None else "retries_exhausted"
                failure = _failure(reason, report.failed[owner], events[owner])
                diversions.append(Diversion(position, envelope, failure, rung, events[owner].event.run_id))
        return diversions

    async def _until_ready(self, only: Iterable[str] | None) -> None:
        names = None if only is None else set(only)
        stores = self._parts.writes.stores
        while (wait_s := await stores.probe(only=names)) > 0:
            self._waiting = "waits for " + "; ".join(f"{name}: {why}" for name, why in stores.down().items())
            if not await self._parts.pace.pause(wait_s):
                raise StoppedError
        self._waiting = None

    def _settlements(self, prepared: Prepared, diversions: list[Diversion]) -> dict[int, Settlement]:
        """By position. A record that is dead for one store and retried for another counts as dead."""
        found: dict[int, Settlement] = {}
        for position, _, failure, rung, _ in diversions:
            if rung is None or position not in found:
                outcome = Outcome.DEAD_LETTER if rung is None else Outcome.RETRY
                offset = prepared.records[position].offset
                error = failure.error[:_MAX_ERROR_CHARS]
                found[position] = Settlement(offset, outcome, failure.reason, error, failure.failed_stores)
        return found

    def _count(self, prepared: Prepared, settlements: Mapping[int, Settlement]) -> None:
        kinds: list[str] = [item.event.kind for item in prepared.events]
        kinds.append("unknown")  # where owners say -1
        tally = Counter((kinds[owner], "stored") for owner in prepared.owners)
        for position, settlement in settlements.items():
            kind = kinds[prepared.owners[position]]
            tally[kind, "stored"] -= 1
            tally[kind, str(settlement.outcome)] += 1
        self._parts.metrics.settled(tally)
        if not self._from_retry:
            self._parts.metrics.problems(prepared.problems)


def _run_of(prepared: Prepared, position: int) -> str | None:
    owner = prepared.owners[position]
    return prepared.events[owner].event.run_id if owner >= 0 else None


def _failure(reason: str, errors: Mapping[str, HeadwaterError], item: ProjectedEvent) -> Failure:
    told = "; ".join(f"{store}: {error}" for store, error in errors.items())
    return Failure(reason, "write", told, failed_stores=tuple(errors), event_id=item.event.event_id)
