"""Checks of what a store is, and of its ends."""

from __future__ import annotations

from headwater.collector.stores.base import LineageStoreProtocol
from headwater.collector.testing.conformance.base import Checks, batch_of
from headwater.collector.testing.conformance.capabilities import Keeps
from headwater.collector.testing.conformance.events import many
from headwater.collector.testing.conformance.places import Place
from headwater.shared.errors import PermanentError, TransientError


class ContractChecks(Checks):
    """See ``LineageStoreProtocol``."""

    def test_is_a_store_and_keeps_what_is_declared(self, place: Place) -> None:
        async def check() -> None:
            async with place.opened() as store:
                if not isinstance(store, LineageStoreProtocol) or not isinstance(store.name, str) or not store.name:
                    self.fail("open, write, ping, close or a name is missing, see LineageStoreProtocol")
                await store.ping()
                found = Keeps.NOTHING
                found |= Keeps.DOCUMENTS if self.documents_of(store) is not None else Keeps.NOTHING
                found |= Keeps.GRAPH if self.graph_of(store) is not None else Keeps.NOTHING
                if found is not self.keeps:
                    self.fail(f"it can be read for {found}, and the test class declares keeps = {self.keeps}")

        self.run(check())

    def test_opens_and_closes_any_number_of_times(self, place: Place) -> None:
        """Opening what is there destroys nothing."""
        events = many(3)

        async def check() -> None:
            store = place.store()
            await store.open()
            await store.open()
            await self.write(store, [events])
            await store.close()
            await store.close()
            async with place.opened() as again:
                await self.must_hold(again, events, when="opened again")

        self.run(check())

    def test_takes_an_empty_batch(self, place: Place) -> None:
        async def check() -> None:
            async with place.opened() as store:
                await store.write([])
                await self.must_hold(store, [], when="after an empty batch")

        self.run(check())

    def test_a_closed_store_refuses_or_writes(self, place: Place) -> None:
        """A write to a store that is closed raises one of the two words, or is a write like any other."""
        events = many(3)

        async def check() -> None:
            store = place.store()
            await store.open()
            await store.close()
            try:
                await store.write(batch_of(events))
            except (TransientError, PermanentError):
                return
            except Exception as error:
                self.fail(f"a write to a closed store raised {error!r}: neither TransientError nor PermanentError")
            async with place.opened() as again:
                await self.must_hold(again, events, when="a closed store took a write")

        self.run(check())
