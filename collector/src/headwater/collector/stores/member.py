"""One store behind its deadline and its breaker."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, Protocol, TypeAlias

from headwater.collector.breaker import Breaker, BreakerState
from headwater.collector.sparse import SparseLog
from headwater.collector.stores.base import LineageStoreProtocol, ProjectedEvent
from headwater.collector.stores.deadline import Bounded
from headwater.shared.clock import Clock
from headwater.shared.errors import PermanentError, TransientError

WriteOutcome: TypeAlias = TransientError | PermanentError | None
"""None: the store has the batch. An error: it has none or a part of it, and trying again may or will not help."""


class StoreObserver(Protocol):
    """Who wants to know how stores fare; ``PipelineMetrics`` does."""

    def store_write(self, store: str, outcome: str, seconds: float, events: int) -> None: ...

    def breaker(self, store: str, state: BreakerState) -> None: ...


class StoreMember:
    """Turns whatever a store does into a ``WriteOutcome``: late is transient, an error that its contract does not
    allow is permanent (it would come again; the bytes are safe in the dead letters). Writes go one at a time."""

    def __init__(
        self,
        store: LineageStoreProtocol,
        breaker: Breaker,
        *,
        deadline_s: float,
        clock: Clock,
        observer: StoreObserver | None,
    ) -> None:
        self.store, self.breaker = store, breaker
        self.last_error: str | None = None
        """Why the store last failed; None once it is well again."""
        self._deadline_s, self._clock, self._observer = deadline_s, clock, observer
        self._lock = asyncio.Lock()
        self._calls = Bounded(store.name)
        self._opened = False
        self._lines = SparseLog(clock)
        self._state = breaker.state
        self._observe_breaker()

    @property
    def name(self) -> str:
        return self.store.name

    @property
    def opened(self) -> bool:
        """Whether it was opened, and not closed since."""
        return self._opened

    async def open(self) -> None:
        """As the store's own ``open``, within the deadline. Idempotent."""
        if not self._opened:
            await self._within_deadline(self.store.open())
            self._opened = True

    def defer(self, error: TransientError) -> None:
        """The store is known to be down: opens the breaker at once. ``probe`` will find it when it is back."""
        self.last_error = str(error)
        self.breaker.trip()
        self._observe_breaker()

    async def write(self, batch: Sequence[ProjectedEvent], *, blame: bool = True) -> WriteOutcome:
        """The outcome of one write; at once a transient one while the breaker is open. With ``blame`` false a failure
        does not count against the store: the caller suspects the batch, and asks ``alive``."""
        async with self._lock:
            wait_s = self.breaker.wait_s()
            if wait_s > 0.0:
                return TransientError(f"{self.name} is left alone: {self.last_error}", retry_after_s=wait_s)
            began_s = self._clock.monotonic_s()
            outcome = await self._attempt(batch, blame)
            if self._observer is not None:
                word = "ok" if outcome is None else "transient" if isinstance(outcome, TransientError) else "permanent"
                self._observer.store_write(self.name, word, self._clock.monotonic_s() - began_s, len(batch))
            return outcome

    async def _attempt(self, batch: Sequence[ProjectedEvent], blame: bool) -> WriteOutcome:
        try:
            await self.open()
            await self._within_deadline(self.store.write(batch))
        except TransientError as error:
            if blame:
                self.failed(error)
            return error
        except PermanentError as error:
            return error
        except Exception as error:
            broken = PermanentError(f"{type(error).__name__}: {error}")
            broken.__cause__ = error
            return broken
        self._succeeded()
        return None

    async def alive(self) -> bool:
        """Pings. If that fails the breaker opens at once."""
        async with self._lock:
            try:
                await self._within_deadline(self.store.ping())
            except TransientError as error:
                self.defer(error)
                return False
            return True

    async def probe(self) -> float:
        """0 if a write may be tried now, else how many seconds to wait before asking again. Pings where the breaker is
        half-open, so that a store that is still down costs no batch an attempt."""
        async with self._lock:
            if self.breaker.state is BreakerState.HALF_OPEN:
                try:
                    await self.open()
                    await self._within_deadline(self.store.ping())
                except TransientError as error:
                    self.failed(error)
                else:
                    self.breaker.probed()
                    self._observe_breaker()
            return self.breaker.wait_s()

    async def close(self) -> None:
        """As the store's own ``close``."""
        async with self._lock:
            self._opened = False
            await self.store.close()

    async def _within_deadline(self, work: Coroutine[Any, Any, None]) -> None:
        await self._calls.call(work, self._deadline_s)

    def failed(self, error: TransientError) -> None:
        """Counts a failure against the store."""
        self.last_error = str(error)
        self.breaker.failed()
        self._observe_breaker()

    def _succeeded(self) -> None:
        self.breaker.succeeded()
        if self.last_error is not None:
            self.last_error = None
            self._observe_breaker()

    def _observe_breaker(self) -> None:
        before, self._state = self._state, self.breaker.state
        if self._state is BreakerState.OPEN:
            self._lines.warning("store_down", of=self.name, store=self.name, error=self.last_error)
        elif before is not BreakerState.CLOSED and self._state is BreakerState.CLOSED:
            self._lines.info("store_back", of=self.name, store=self.name)
        if self._observer is not None:
            self._observer.breaker(self.name, self._state)
