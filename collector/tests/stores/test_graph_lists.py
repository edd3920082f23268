"""Lists and searches of a graph in which most names are of one namespace, and some are deleted."""

from __future__ import annotations

from tests.reference.test_histories import raw_events
from tests.support.seeds import rng
from tests.support.worlds import projected, sqlite_world

from headwater.collector.catalog import DELETED_FACET
from headwater.collector.stores.graph import Neo4jLineageStore
from headwater.collector.stores.graph.keys import SORT_CHARS
from headwater.collector.stores.reading import MAX_MATCHES, Search
from headwater.collector.testing.reference.histories import Event, Historian, facet, named
from headwater.shared.event import Name

LONG = "n" * SORT_CHARS
SPACES = {"many": 120, "few": 3, LONG + "a": 4, LONG + "b": 5}
"""Namespaces with how many jobs, and as many datasets, each has."""


def _events(historian: Historian) -> list[Event]:
    names = [Name(space, f"{number:03}") for space, count in SPACES.items() for number in range(count)]
    events = []
    for number, name in enumerate(names):
        event = historian.event(historian.run_ids[number], name, number / 100, "COMPLETE")
        events.append(event | {"outputs": [named(name)]})
    return events


def _deletion(historian: Historian, name: Name, day: float) -> Event:
    gone = {DELETED_FACET: facet({"asOf": historian.time(day).replace("Z", ".000000000Z")})}
    job = historian.design() | {"job": {**named(name), "facets": gone}, "inputs": [], "outputs": []}
    return job | {"eventTime": historian.time(day)}


async def test_pages_and_totals_are_those_of_sqlite(graph: Neo4jLineageStore) -> None:
    historian = Historian(rng("lists"), runs=sum(SPACES.values()))
    events = _events(historian)
    events += [_deletion(historian, Name("many", "007"), 9), _deletion(historian, Name("few", "001"), 9)]
    events += [_deletion(historian, Name("few", "002"), 0)]  # seen since
    gone = {DELETED_FACET: facet({"asOf": historian.time(20).replace("Z", ".000000000Z")})}
    events += [historian.dataset_event(("many", "011"), gone) | {"eventTime": historian.time(20)}]
    async with sqlite_world() as sqlite:
        await sqlite.take([raw_events(events)])
        await graph.write([projected(raw) for raw in raw_events(events)])
        ours, theirs = graph.graph_reader(), sqlite.questions.reader
        for namespace in (None, *SPACES, "nobody", "man", LONG):
            for limit, offset in ((10, 0), (2, 3), (400, 0), (10, 115)):
                page = limit, offset
                assert await ours.list_jobs(namespace, *page) == await theirs.list_jobs(namespace, *page)
                assert await ours.list_datasets(namespace, *page) == await theirs.list_datasets(namespace, *page)
        assert (await ours.list_jobs("few", 10, 0))[0] == 2
        assert (await ours.list_datasets("many", 10, 0))[0] == 119


async def test_of_too_many_matches_those_that_begin_with_the_text_are_shown(graph: Neo4jLineageStore) -> None:
    historian = Historian(rng("search"), runs=1)
    outputs = [Name("db", f"a word {number:04}") for number in range(MAX_MATCHES + 200)]
    outputs += [Name("db", "Word first"), Name("db", "word second")]
    event = historian.event(historian.run_ids[0], Name("jobs", "j"), 1, "COMPLETE")
    raw = raw_events([event | {"outputs": [named(name) for name in outputs]}])
    await graph.write([projected(each) for each in raw])
    reader = graph.graph_reader()
    total, hits = await reader.search(Search("WORD", kinds=("dataset",)), MAX_MATCHES, 0)
    assert total == len(hits) == MAX_MATCHES
    assert [hit.name.name for hit in hits[-2:]] == ["Word first", "word second"]
    again, page = await reader.search(Search("WORD", kinds=("dataset",), newest_first=True), 10, 5)
    assert again == MAX_MATCHES
    assert len(page) == 10
    few, all_of_them = await reader.search(Search("word 000"), 20, 0)
    assert few == len(all_of_them) == 10
