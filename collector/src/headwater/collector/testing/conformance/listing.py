"""Checks of lists of documents: their order, filters and pages."""

from __future__ import annotations

from headwater.collector.stores.reading import DocumentReader, EventFilter
from headwater.collector.testing.conformance.base import Checks, memory_of
from headwater.collector.testing.conformance.capabilities import Keeps
from headwater.collector.testing.conformance.events import encoded, projected, run_event
from headwater.collector.testing.conformance.places import Place
from headwater.shared.event import Name

_FIRST, _SECOND, _THIRD = (f"2026-01-0{day}T00:00:00Z" for day in (1, 2, 3))


class ListingChecks(Checks):
    """``DocumentReader.list_documents``."""

    def test_newest_written_comes_first(self, place: Place) -> None:
        """By event time; of equal times by order of arrival, which writing again does not change."""
        self.needs(Keeps.DOCUMENTS)
        written = [
            run_event(number, time=time) for number, time in enumerate([_SECOND, _SECOND, _THIRD, _FIRST, _SECOND])
        ]
        events = [encoded(event) for event in written]
        ids = [projected(raw).event.event_id for raw in events]
        newest = [ids[2], ids[4], ids[1], ids[0], ids[3]]

        async def check() -> None:
            async with place.opened() as store:
                await self.write(store, [[event] for event in events])
                await self._must_list(store, newest, when="written one by one")
                await self.write(store, [events, [events[0]]])
                await self._must_list(store, newest, when="written again")

        self.run(check())

    async def _must_list(self, store: object, newest: list[str], *, when: str) -> None:
        reader = self._reader(store)
        for descending, wanted in ((True, newest), (False, newest[::-1])):
            found = await reader.list_documents(EventFilter(descending=descending), 100, 0)
            if [document.event_id for document in found] != wanted:
                places = [wanted.index(each.event_id) if each.event_id in wanted else "?" for each in found]
                order = "newest first" if descending else "oldest first"
                self.fail(f"{when}, list_documents {order} gives the places {places}, must give {list(range(5))}")

    def test_filters_and_pages(self, place: Place) -> None:
        self.needs(Keeps.DOCUMENTS)
        said = [run_event(number % 3, word=word, time=time) for number, (word, time) in enumerate(_SAID)]
        events = [encoded(event) for event in [*said, _DESIGN]]

        async def check() -> None:
            reference = (await memory_of(events)).reader()
            async with place.opened() as store:
                await self.write(store, [[event] for event in events])
                reader = self._reader(store)
                wrong = []
                for where in _FILTERS:
                    wanted = [each.event_id for each in await reference.list_documents(where, 100, 0)]
                    found: list[str] = []
                    while page := await reader.list_documents(where, 2, len(found)):
                        found += [document.event_id for document in page]
                        if len(found) > len(events):
                            break
                    count = await reader.count_documents(where)
                    if (found, count) != (wanted, len(wanted)):
                        wrong.append(f"{where}: {len(found)} in pages of two, counted {count}, must be {len(wanted)}")
                bounds = [_CANONICAL.replace("-02T", f"-{day}T") for day in ("01", "02", "03", "04")]
                types, wanted_types = [await each.count_by_type(bounds) for each in (reader, reference)]
                wrong += [] if types == wanted_types else [f"count_by_type: is {types}, must be {wanted_types}"]
                self.all_right(wrong, "asked with filters")

        self.run(check())

    def _reader(self, store: object) -> DocumentReader:
        return self._read(self.documents_of(store))  # type: ignore[arg-type]


_SAID = [
    ("START", _FIRST), ("START", _FIRST), ("START", _SECOND), ("RUNNING", _SECOND), ("COMPLETE", _THIRD),
    ("COMPLETE", _THIRD),
]  # fmt: skip
_DESIGN = {"eventTime": _SECOND, "producer": "p", "schemaURL": "s", "job": {"namespace": "jobs", "name": "job 1"}}
_CANONICAL = "2026-01-02T00:00:00.000000000Z"
_FILTERS = [
    EventFilter(),
    EventFilter(run="00000000-0000-7000-8000-000000000001"),
    EventFilter(job=Name("jobs", "job 1")),
    EventFilter(since=_CANONICAL),
    EventFilter(before=_CANONICAL, descending=False),
    EventFilter(kind="job"),
    EventFilter(namespace="jobs", descending=False),
    EventFilter(namespace="nobody"),
    EventFilter(kind="run", since=_CANONICAL, job=Name("jobs", "job 0")),
    EventFilter(run="00000000-0000-7000-8000-00000000ffff"),
]
