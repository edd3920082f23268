"""Checks of what the graph answers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import cast

from hypothesis import given

from headwater.collector.questions import Questions
from headwater.collector.stores.reading import Reader
from headwater.collector.testing.conformance import comparing
from headwater.collector.testing.conformance.base import Checks, memory_of
from headwater.collector.testing.conformance.capabilities import Keeps
from headwater.collector.testing.conformance.events import SEEDS, cut, history, projected, seeded, wants
from headwater.collector.testing.conformance.places import Place, Places
from headwater.collector.testing.reference.model import Model
from headwater.collector.testing.reference.pictures import asked, differences, drawn


class GraphChecks(Checks):
    """``GraphReader``."""

    def test_answers_equal_the_model(self, places: Places) -> None:
        """Evidence, pins, edges, walks, attempts and identity of random histories, by docs/semantics.md."""
        self.needs(Keeps.GRAPH)

        @self.searching
        @given(seed=SEEDS)
        def check(seed: int) -> None:
            self.run(self._answer(places.fresh(), history(seeded(seed), runs=4)))

        check()

    async def _answer(self, place: Place, events: Sequence[bytes]) -> None:
        wanted = drawn(Model([(projected(raw).event.event_id, json.loads(raw)) for raw in events]))
        async with place.opened() as store:
            await self.write(store, cut(events, 4))
            # A graph's reader answers all that is asked here; documents are not.
            questions = Questions(cast(Reader, self._read(self.graph_of(store))))
            self.all_right(differences(wanted, await asked(questions, wanted)), "asked what the model can answer")

    def test_every_fetch_equals_the_reference(self, place: Place) -> None:
        """Each method of the reader, with filters, cursors and limits, beside ``MemoryLineageStore``."""
        self.needs(Keeps.GRAPH)
        events = history(seeded(3), runs=14) + wants(seeded(3))

        async def check() -> None:
            reference = (await memory_of(events)).reader()
            async with place.opened() as store:
                await self.write(store, cut(events, 7))
                wrong = await comparing.fetch_differences(self._read(self.graph_of(store)), reference)
                self.all_right(wrong, "fetched one by one")

        self.run(check())
