"""Checks of what goes in and comes out again."""

from __future__ import annotations

from headwater.collector.testing.conformance import hostile
from headwater.collector.testing.conformance.base import Checks, memory_of
from headwater.collector.testing.conformance.capabilities import Keeps
from headwater.collector.testing.conformance.comparing import plain, shown
from headwater.collector.testing.conformance.events import cut, large, many, projected, seeded, spellings
from headwater.collector.testing.conformance.places import Place
from headwater.shared.event import Name

MANY = 1200
"""A store that loses one event in a hundred passes with a probability of 6e-6."""
HOSTILE = 500


class RoundTripChecks(Checks):
    """Nothing is lost, changed or made up."""

    def test_bytes_come_back_as_they_were(self, place: Place) -> None:
        """Order of keys, white space, escapes and numbers included; and what could not be read stays noted."""
        events = spellings()

        async def check() -> None:
            async with place.opened() as store:
                await self.write(store, [events])
                await self.must_hold(store, events, when="after odd spellings")
                documents = self.documents_of(store)
                for event, projection in map(projected, events) if documents else ():
                    assert documents is not None
                    found = await documents.document(event.event_id)
                    if found is None or found.raw != event.raw:
                        self.fail(f"document({event.event_id!r}) is {shown(found)}, was written as {shown(event.raw)}")
                    problems = tuple((each.where, each.message) for each in projection.problems)
                    if tuple(map(tuple, found.problems)) != problems:
                        self.fail(f"the problems of {event.event_id} are {found.problems!r}, must be {problems!r}")

        self.run(check())

    def test_nothing_is_dropped(self, place: Place) -> None:
        events = many(MANY)

        async def check() -> None:
            async with place.opened() as store:
                await self.write(store, cut(events, 100))
                await self.must_hold(store, events, when=f"after {MANY} events")

        self.run(check())

    def test_large_events_come_back(self, place: Place) -> None:
        """Beside small ones, in one batch and alone."""
        events = [large(size, number) for number, size in enumerate(self.large_bytes)]
        small = many(3, first=100)

        async def check() -> None:
            async with place.opened() as store:
                await self.write(store, [[small[0], events[0], small[1]], *([event] for event in events), [small[2]]])
                await self.must_hold(store, [*events, *small], when=f"after events of {list(self.large_bytes)} bytes")

        self.run(check())

    def test_hostile_names_mean_nothing(self, place: Place) -> None:
        """Quotes, operators, fragments of query languages, control characters, right-to-left, 1,100 characters."""
        names = hostile.names(HOSTILE, seeded(HOSTILE))
        events = [hostile.event(name, number) for number, name in enumerate(names)]

        async def check() -> None:
            async with place.opened() as store:
                await self.write(store, cut(events, 50))
                await self.must_hold(store, events, when=f"after {HOSTILE} hostile names")
                graph = self.graph_of(store)
                reference = (await memory_of(events)).reader()
                jobs = [Name(name, name) for name in names]
                outputs = [(job, f"v{job.name}") for job in jobs]
                wrong = []
                for fetch, asked in (("jobs", jobs), ("datasets", jobs), ("claims", outputs)) if graph else ():
                    mine, wanted = [
                        plain(await getattr(reader, fetch)(asked), ordered=False) for reader in (graph, reference)
                    ]
                    wrong += [] if mine == wanted else [f"{fetch}: is {shown(mine)}, must be {shown(wanted)}"]
                self.all_right(wrong, "asked by hostile names")

        self.run(check())

    def test_what_is_unknown_is_not_found(self, place: Place) -> None:
        """A reader says None for an unknown event, and leaves unknown runs, jobs and datasets out."""
        self.needs(Keeps.BOTH)
        run, name = "00000000-0000-7000-8000-ffffffffffff", Name("nobody", "nothing")

        async def check() -> None:
            async with place.opened() as store:
                await self.write(store, [many(3)])
                found: dict[str, tuple[object, object]] = {}
                if documents := self.documents_of(store):
                    for event_id in ("0" * 32, "", "no such id", "'"):
                        found[f"document({event_id!r})"] = await documents.document(event_id), None
                if graph := self.graph_of(store):
                    found["runs"] = await graph.runs([run]), {}
                    found["run_rows"] = await graph.run_rows([run]), {}
                    found["jobs"] = await graph.jobs([name]), {}
                    found["datasets"] = await graph.datasets([name]), {}
                    found["claims"] = await graph.claims([(name, "1")]), []
                    found["claims_of_runs"] = await graph.claims_of_runs([run]), []
                wrong = [f"{fetch} is {shown(answer)}" for fetch, (answer, none) in found.items() if answer != none]
                self.all_right(wrong, "asked for what is unknown")

        self.run(check())
