"""Checks that a store is a function of the set of events: whatever the order, the batches and the copies."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from functools import partial
from itertools import cycle

from hypothesis import given
from hypothesis import strategies as st

from headwater.collector.stores.base import LineageStoreProtocol
from headwater.collector.testing.conformance.base import Checks
from headwater.collector.testing.conformance.capabilities import Keeps
from headwater.collector.testing.conformance.events import SEEDS, cut, encoded, history, many, run_event, seeded
from headwater.collector.testing.conformance.patience import patiently
from headwater.collector.testing.conformance.places import Place, Places

WRITERS = 3


class SetChecks(Checks):
    """Idempotence, commutativity, concurrency."""

    def test_writing_again_changes_nothing(self, place: Place) -> None:
        """After a retry, after a retry of a part, and with copies in one batch."""
        self.needs(Keeps.BOTH)
        events = history(seeded(1), runs=10)

        async def check() -> None:
            async with place.opened() as store:
                await self.write(store, [events[: len(events) // 2], events])
                await self.must_hold(store, events, when="after a part and then everything")
                await self.write(store, [events, events[::-1], [*events[:9], *events[:9]], *([e] for e in events[:5])])
                await self.must_hold(store, events, when="written again")

        self.run(check())

    def test_order_copies_and_batches_do_not_matter(self, places: Places) -> None:
        """Random histories in random deliveries."""
        self.needs(Keeps.BOTH)

        @self.searching
        @given(seed=SEEDS, data=st.data())
        def check(seed: int, data: st.DataObject) -> None:
            events = history(seeded(seed), runs=4)
            copies = data.draw(st.lists(st.sampled_from(events), max_size=8), label="copies")
            order = data.draw(st.permutations([*events, *copies]), label="order")
            sizes = data.draw(st.lists(st.integers(1, 8), min_size=1, max_size=8), label="sizes of batches")
            self.run(self._deliver(places.fresh(), events, _batches(order, sizes)))

        check()

    async def _deliver(self, place: Place, events: Sequence[bytes], batches: Sequence[Sequence[bytes]]) -> None:
        async with place.opened() as store:
            await self.write(store, batches)
            await self.must_hold(store, events, when=f"delivered in batches of {[len(batch) for batch in batches]}")

    def test_two_spellings_are_one_event(self, places: Places) -> None:
        """One of them is kept, whole."""
        self.needs(Keeps.BOTH)
        event = run_event(1)
        spellings = [encoded(event), json.dumps(event, indent=2).encode()]

        async def check() -> None:
            for order in (spellings, spellings[::-1]):
                async with places.fresh().opened() as store:
                    await self.write(store, [[spelling] for spelling in order])
                    await self.must_hold(store, spellings, when="after two spellings of one event")

        self.run(check())

    def test_concurrent_writers_lose_nothing(self, place: Place) -> None:
        """Several stores on one place, opened at once, writing overlapping batches about the same runs and jobs."""
        source = seeded(2)
        events = [*history(source, runs=30), *many(60)]
        shares = [source.sample(events, len(events) * 2 // 3) for _ in range(WRITERS)]
        shares[0] += [event for event in events if not any(event in share for share in shares)]

        async def check() -> None:
            stores = [place.store() for _ in range(WRITERS)]
            try:
                await asyncio.gather(*(patiently(store.open) for store in stores))
                await asyncio.gather(*(self._share(*pair) for pair in zip(stores, shares, strict=True)))
                for store in stores:
                    await self.must_hold(store, events, when=f"after {WRITERS} writers at once")
            finally:
                for store in stores:
                    await store.close()

        self.run(check())

    async def _share(self, store: LineageStoreProtocol, events: Sequence[bytes]) -> None:
        for batch in cut(events, 10):
            await patiently(partial(self.write, store, [batch]))


def _batches(events: Sequence[bytes], sizes: Sequence[int]) -> list[Sequence[bytes]]:
    """Batches of these sizes, over and over."""
    found: list[Sequence[bytes]] = []
    at = 0
    for size in cycle(sizes):
        if at >= len(events):
            break
        found.append(events[at : at + size])
        at += size
    return found
