"""Several stores as one: every batch goes to all of them, and what each made of it is said."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence

from headwater.collector.breaker import Breaker, BreakerPolicy, BreakerState
from headwater.collector.stores.base import LineageStoreProtocol, ProjectedEvent
from headwater.collector.stores.member import StoreMember, StoreObserver, WriteOutcome
from headwater.shared.clock import Clock, SystemClock
from headwater.shared.errors import ConfigurationError, PermanentError, TransientError


class SomeStoresFailedError(TransientError):
    """At least one store failed and may take the batch when tried again. ``outcomes`` says what each did."""

    def __init__(self, outcomes: dict[str, WriteOutcome]) -> None:
        super().__init__(_told(outcomes))
        self.outcomes = outcomes


class SomeStoresRefusedError(PermanentError):
    """No store failed for now, but at least one will never take this batch. ``outcomes`` says what each did."""

    def __init__(self, outcomes: dict[str, WriteOutcome]) -> None:
        super().__init__(_told(outcomes))
        self.outcomes = outcomes


def _told(outcomes: dict[str, WriteOutcome]) -> str:
    return "; ".join(f"{name}: {error}" for name, error in outcomes.items() if error is not None)


class CompositeLineageStore:
    """Broadcasts each batch to its members at once. Each has its own deadline and its own breaker; none waits for
    another's failure, and no failure is hidden.

    ``write_outcomes`` is for a caller that retries only what failed; ``write`` keeps the plain store's contract.
    """

    def __init__(
        self,
        stores: Sequence[LineageStoreProtocol],
        *,
        name: str = "composite",
        deadline_s: float = 30.0,
        breaker: BreakerPolicy | None = None,
        clock: Clock | None = None,
        observer: StoreObserver | None = None,
    ) -> None:
        """``deadline_s``: of one call to one member. Raises ConfigurationError on no member or two of one name."""
        names = [store.name for store in stores]
        if not names or len(set(names)) < len(names):
            raise ConfigurationError("lineage.store.backends", names, "name at least one store, and each only once")
        clock = clock if clock is not None else SystemClock()
        policy = breaker if breaker is not None else BreakerPolicy()
        self.name = name
        self.members: dict[str, StoreMember] = {
            store.name: StoreMember(
                store, Breaker(policy, clock), deadline_s=deadline_s, clock=clock, observer=observer
            )
            for store in stores
        }

    @property
    def reads_bodies(self) -> bool:
        """Whether any member does."""
        return any(getattr(member.store, "reads_bodies", True) for member in self.members.values())

    @property
    def remote(self) -> bool:
        """Whether any member is."""
        return any(getattr(member.store, "remote", False) for member in self.members.values())

    async def open(self) -> None:
        """Opens every member at once. The first error is raised when all have answered."""
        results = await asyncio.gather(*(member.open() for member in self.members.values()), return_exceptions=True)
        for result in results:
            if isinstance(result, BaseException):
                raise result

    async def open_or_defer(self) -> list[str]:
        """Like ``open``, but a store that is down for now is opened later, by the first probe that finds it back.
        Returns the names of those. A wrong configuration still raises."""
        members = list(self.members.values())
        results = await asyncio.gather(*(member.open() for member in members), return_exceptions=True)
        deferred = []
        for member, result in zip(members, results, strict=True):
            if isinstance(result, TransientError):
                member.defer(result)
                deferred.append(member.name)
            elif isinstance(result, BaseException):
                raise result
        return deferred

    async def write_outcomes(
        self, batch: Sequence[ProjectedEvent], *, only: Collection[str] | None = None, blame: bool = True
    ) -> dict[str, WriteOutcome]:
        """Writes to all members, or to those named, and says what each made of it. Raises nothing of theirs.
        ``blame``: see ``StoreMember.write``."""
        chosen = [member for name, member in self.members.items() if only is None or name in only]
        if len(chosen) == 1:
            return {chosen[0].name: await chosen[0].write(batch, blame=blame)}
        outcomes = await asyncio.gather(*(member.write(batch, blame=blame) for member in chosen))
        return {member.name: outcome for member, outcome in zip(chosen, outcomes, strict=True)}

    async def write(self, batch: Sequence[ProjectedEvent]) -> None:
        """Takes all events of the batch in every member, or raises SomeStoresFailedError or SomeStoresRefusedError,
        which name the stores."""
        outcomes = await self.write_outcomes(batch)
        failures = [outcome for outcome in outcomes.values() if outcome is not None]
        if any(isinstance(failure, TransientError) for failure in failures):
            raise SomeStoresFailedError(outcomes)
        if failures:
            raise SomeStoresRefusedError(outcomes)

    async def probe(self, *, only: Collection[str] | None = None) -> float:
        """0 if every (named) member may be tried now, else seconds to wait before asking again."""
        return max(
            [await member.probe() for name, member in self.members.items() if only is None or name in only],
            default=0.0,
        )

    def down(self) -> dict[str, str]:
        """Members whose breaker is not closed, each with why."""
        return {
            name: member.last_error or "not opened yet"
            for name, member in self.members.items()
            if member.breaker.state is not BreakerState.CLOSED
        }

    async def ping(self) -> None:
        """Raises TransientError naming the members that cannot take a write now."""
        members = list(self.members.values())
        results = await asyncio.gather(*(member.store.ping() for member in members), return_exceptions=True)
        errors = [
            f"{member.name}: {error}"
            for member, error in zip(members, results, strict=True)
            if isinstance(error, BaseException)
        ]
        if errors:
            raise TransientError("; ".join(errors))

    async def close(self) -> None:
        """Closes every member; the first error is raised when all have been asked."""
        results = await asyncio.gather(*(member.close() for member in self.members.values()), return_exceptions=True)
        for result in results:
            if isinstance(result, BaseException):
                raise result
