"""One question's reader of the graph: fewer statements, the same answers."""

from __future__ import annotations

from typing import Any

from tests.reference.test_histories import raw_events
from tests.support.comparing import compare
from tests.support.orders import cut, shuffled
from tests.support.seeds import rng
from tests.support.worlds import projected, sqlite_world

from headwater.collector.questions.lineage import neighbourhood
from headwater.collector.questions.lookup import Lookup
from headwater.collector.stores.graph import Neo4jLineageStore
from headwater.collector.stores.graph.fetching import Row
from headwater.collector.stores.graph.reader import Neo4jReader
from headwater.collector.testing.reference.histories import DATASETS, Event, Historian, named
from headwater.shared.event import Name

MANY = 100
"""Datasets of a job: more than are read to find the current ones."""


class _Counting(Neo4jReader):
    """All of whose statements are counted."""

    def __init__(self, reader: Neo4jReader) -> None:
        super().__init__(reader._driver, reader._connection, reader._store, reader._deadline_s)
        self.count = 0

    async def _fetch(self, statement: str, **parameters: Any) -> list[Row]:
        self.count += 1
        return await super()._fetch(statement, **parameters)


async def write(graph: Neo4jLineageStore, *batches: list[bytes]) -> None:
    for batch in batches:
        await graph.write([projected(raw) for raw in batch])


async def test_every_fetch_is_answered_as_by_sqlite(graph: Neo4jLineageStore) -> None:
    for number in range(2):
        source = rng("ahead", number)
        raw = raw_events(Historian(source, runs=12).history())
        async with sqlite_world() as sqlite:
            await sqlite.take([raw])
            await graph.reset()
            await write(graph, *cut(shuffled(raw, source), source, 6))
            reader = graph.graph_reader()
            ahead = reader.ahead()
            edges = await ahead.job_edges([Name("jobs", "j0")], [Name(*name) for name in DATASETS[:2]])
            runs = [
                run.run for rows in (await ahead.latest_runs([edge.job for edge in edges], 9)).values() for run in rows
            ]
            await ahead.runs(runs)
            await compare(ahead, sqlite.questions.reader)


def _run(number: int, job: Name, day: float, **sides: list[Name]) -> Event:
    historian = Historian(rng("ahead"), runs=number + 1)
    event = historian.event(historian.run_ids[number], job, day, "COMPLETE")
    return event | {side: [named(name) for name in names] for side, names in sides.items()}


async def test_a_level_of_a_walk_is_one_statement(graph: Neo4jLineageStore) -> None:
    chain = [Name("db", f"d{number}") for number in range(6)]
    jobs = [Name("jobs", f"j{number}") for number in range(5)]
    await write(
        graph, raw_events([_run(n, job, 1, inputs=[chain[n]], outputs=[chain[n + 1]]) for n, job in enumerate(jobs)])
    )
    counting = _Counting(graph.graph_reader())
    found = await neighbourhood(Lookup(counting.ahead()), ("job", jobs[0]), depth=2, limit=100)  # type: ignore[arg-type]
    assert {name for kind, name in found.distances if kind == "job"} == set(jobs[:3])
    assert counting.count <= 4  # the job's edges, two levels, and whether there is more


async def test_what_was_read_ahead_is_not_asked_again(graph: Neo4jLineageStore) -> None:
    job, dataset = Name("jobs", "j"), Name("db", "d")
    await write(graph, raw_events([_run(0, job, 1, outputs=[dataset])]))
    counting = _Counting(graph.graph_reader())
    ahead = counting.ahead()
    run = (await ahead.latest_runs([job], 1))[job][0].run
    await ahead.runs([run])
    before = counting.count
    claims = await ahead.claims_of_runs([run])
    assert [claim.dataset for claim in claims] == [dataset]
    assert counting.count == before
    assert await ahead.job_edges([], [dataset]) == await ahead.job_edges([job], [])
    before = counting.count
    assert await ahead.links([dataset]) == []
    assert await ahead.drops([dataset]) == []
    assert counting.count == before


async def test_links_and_drops_at_the_end_of_an_edge_are_found(graph: Neo4jLineageStore) -> None:
    job, dataset, other = Name("jobs", "j"), Name("db", "d"), Name("hive", "d")
    historian = Historian(rng("ahead"))
    link = {"identifiers": [{**named(other), "type": "TABLE"}]}
    gone = {"lifecycleStateChange": "DROP"}
    await write(
        graph,
        raw_events([_run(0, job, 1, outputs=[dataset])]),
        raw_events([historian.dataset_event(dataset, {"symlinks": link, "lifecycleStateChange": gone})]),
    )
    ahead = graph.graph_reader().ahead()
    assert await ahead.job_edges([job], [])
    assert [(each.a, each.b) for each in await ahead.links([dataset])] == [(dataset, other)]
    assert [each.dataset for each in await ahead.drops([dataset])] == [dataset]


async def test_of_many_old_edges_only_the_current_ones_are_found(graph: Neo4jLineageStore) -> None:
    """Rule 8: the old ones are older than the newest run by more than the window."""
    job = Name("jobs", "batch")
    old = [Name("files", f"old{number}") for number in range(MANY)]
    new = [Name("files", "in"), Name("files", "out")]
    await write(graph, raw_events([_run(0, job, 1, inputs=old), _run(1, job, 300, inputs=new[:1], outputs=new[1:])]))
    reader = graph.graph_reader()
    edges = await reader.ahead().job_edges([job], [])
    assert {edge.dataset for edge in edges} == set(new)
    assert edges == await reader.job_edges([job], [])
    assert await reader.ahead().job_edges([], new[:1]) == await reader.job_edges([], new[:1])
    assert await reader.ahead().job_edges([], old[:1]) == []
