"""Checks of bounded time and error classes, on a backend that hangs or is gone."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Final

from headwater.collector.stores.base import LineageStoreProtocol
from headwater.collector.stores.reading import EventFilter, RunFilter
from headwater.collector.testing.conformance.base import Checks, batch_of
from headwater.collector.testing.conformance.capabilities import Faults, MakeStore
from headwater.collector.testing.conformance.events import history, many, seeded
from headwater.collector.testing.conformance.patience import patiently
from headwater.collector.testing.conformance.places import Place
from headwater.shared.errors import PermanentError, TransientError

OUTAGE_CHECKS: Final = (
    "test_a_backend_that_hangs_is_said_so_in_time",
    "test_a_backend_that_is_gone_is_said_so_in_time",
)
"""To be excused where there is no backend that could fail: ``excused = dict.fromkeys(OUTAGE_CHECKS, "one file")``."""


class OutageChecks(Checks):
    """An outage is a TransientError, within the deadline, and afterwards the same batch is taken."""

    def test_a_backend_that_hangs_is_said_so_in_time(
        self, place: Place, make_hasty_store: MakeStore, faults: Faults | None
    ) -> None:
        outage = self._given(faults).hung
        self.run(self._survive(place, Place(make_hasty_store, place.name), outage, "hangs"))

    def test_a_backend_that_is_gone_is_said_so_in_time(
        self, place: Place, make_hasty_store: MakeStore, faults: Faults | None
    ) -> None:
        outage = self._given(faults).gone
        self.run(self._survive(place, Place(make_hasty_store, place.name), outage, "is gone"))

    def _given(self, faults: Faults | None) -> Faults:
        if faults is None:
            self.fail(
                "give a fixture `faults` (see capabilities.Faults), or say in `excused` why this backend cannot be "
                "made to fail"
            )
        return faults

    async def _survive(
        self, place: Place, hasty: Place, outage: Callable[[], AbstractContextManager[None]], what: str
    ) -> None:
        events = history(seeded(5), runs=10)
        before, after = events[: len(events) // 2], [*events[len(events) // 2 :], *many(20)]
        async with place.opened() as store:
            await self.write(store, [before])
        store = hasty.store()
        try:
            await patiently(store.open)
            await patiently(store.ping)
            with outage():
                for name, call in self._calls(store, hasty, after):
                    await self._must_be_transient(call, f"while the backend {what}, {name}")
            await patiently(partial(self.write, store, [after]))
        finally:
            await store.close()
        async with place.opened() as store:
            await self.must_hold(store, [*before, *after], when=f"when the backend no longer {what}")

    def _calls(
        self, store: LineageStoreProtocol, place: Place, events: Sequence[bytes]
    ) -> list[tuple[str, Callable[[], Awaitable[object]]]]:
        """Everything that asks the backend."""
        calls: list[tuple[str, Callable[[], Awaitable[object]]]] = [
            ("write", partial(store.write, batch_of(events))),
            ("write, tried again", partial(store.write, batch_of(events))),
            ("ping", store.ping),
            ("open of another store", partial(self._open, place)),
        ]
        if documents := self.documents_of(store):
            calls.append(("list_documents", partial(documents.list_documents, EventFilter(), 10, 0)))
        if graph := self.graph_of(store):
            calls.append(("list_runs", partial(graph.list_runs, RunFilter(), 10)))
        return calls

    async def _open(self, place: Place) -> None:
        other = place.store()
        try:
            await other.open()
        finally:
            await other.close()

    async def _must_be_transient(self, call: Callable[[], Awaitable[object]], what: str) -> None:
        limit_s = self.deadline_s + self.grace_s
        bound = asyncio.timeout(limit_s)
        try:
            async with bound:
                await call()
        except TransientError:
            return
        except PermanentError as error:
            self.fail(f"{what} raised {error!r}: the events are not to blame, so they must not be given up")
        except Exception as error:
            if bound.expired():
                self.fail(f"{what} did not come back within {limit_s:g} s")
            self.fail(f"{what} raised {error!r}: must be TransientError")
        self.fail(f"{what} returned as if all were well")
