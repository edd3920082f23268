"""The graph store on a real server, held to the SQLite store's answers."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from typing import Any

import pytest
from neo4j import AsyncGraphDatabase
from tests.reference.test_histories import raw_events
from tests.support import hostile
from tests.support.comparing import compare, fingerprint
from tests.support.orders import cut, shuffled, with_duplicates
from tests.support.seeds import rng
from tests.support.worlds import World, projected, sqlite_world

from headwater.collector.questions import Questions
from headwater.collector.stores.graph import Neo4jLineageStore, schema
from headwater.collector.testing.reference.histories import Historian
from headwater.shared.errors import ConfigurationError, TransientError
from headwater.shared.event import Name


@pytest.fixture
async def sqlite() -> AsyncIterator[World]:
    async with sqlite_world() as world:
        yield world


def history(*parts: object, runs: int = 12) -> list[bytes]:
    return raw_events(Historian(rng("graph", *parts), runs=runs).history())


async def write(graph: Neo4jLineageStore, batches: list[list[bytes]]) -> None:
    for batch in batches:
        await graph.write([projected(raw) for raw in batch])


def mixed(raw: list[bytes], source: random.Random) -> list[list[bytes]]:
    return cut(with_duplicates(shuffled(raw, source), source, 0.3), source, 10)


async def test_random_sets_have_the_fingerprint_of_sqlite(graph: Neo4jLineageStore, sqlite: World) -> None:
    for number in range(5):
        raw = history("sets", number)
        await write(graph, mixed(raw, rng("graph sets", number)))
        await sqlite.take([raw])
        assert await fingerprint(graph) == await sqlite.questions.fingerprint()


async def test_hostile_names_are_only_names(graph: Neo4jLineageStore, sqlite: World) -> None:
    names = hostile.names()
    raw = [hostile.event(name, number) for number, name in enumerate(names)]
    await write(graph, [raw[:250], raw[250:]])
    await sqlite.take([raw])
    assert await fingerprint(graph) == await sqlite.questions.fingerprint()
    reader = graph.graph_reader()
    all_names = [Name(name, name) for name in names]
    assert set(await reader.datasets(all_names)) == set(all_names)
    assert set(await reader.jobs(all_names)) == set(all_names)
    questions = Questions(reader)  # type: ignore[arg-type]
    for name in all_names[::25]:
        said = await questions.evidence(name)
        assert said == await sqlite.questions.evidence(name)
        assert said["status"] == "published"
    for namespace in names[:70]:
        assert await reader.list_datasets(namespace, 10, 0) == await sqlite.questions.reader.list_datasets(
            namespace, 10, 0
        )
    assert await reader.list_datasets(None, 2000, 0) == await sqlite.questions.reader.list_datasets(None, 2000, 0)


async def test_several_collectors_at_once(graph: Neo4jLineageStore, neo4j_url: str, sqlite: World) -> None:
    raw = history("collectors", runs=60)
    others = [Neo4jLineageStore(neo4j_url, name=f"graph-{number}") for number in range(2)]
    for store in others:
        await store.open()
    stores = [graph, *others]
    await asyncio.gather(*(write(store, mixed(raw, rng("collectors", number))) for number, store in enumerate(stores)))
    await sqlite.take([raw])
    assert await fingerprint(graph) == await sqlite.questions.fingerprint()
    await compare(graph.graph_reader(), sqlite.questions.reader)
    for store in others:
        await store.close()


async def test_parts_of_a_large_batch_side_by_side(graph: Neo4jLineageStore, sqlite: World) -> None:
    raw = [one for number in range(12) for one in history("parts", number, runs=20)]
    assert len(raw) > 400
    await write(graph, [raw])
    await sqlite.take([raw])
    assert await fingerprint(graph) == await sqlite.questions.fingerprint()
    await compare(graph.graph_reader(), sqlite.questions.reader)


async def test_open_makes_constraints_and_indexes_once(graph: Neo4jLineageStore, neo4j_url: str) -> None:
    await graph.open()
    async with AsyncGraphDatabase.driver(neo4j_url) as driver:
        found = await driver.execute_query("SHOW INDEXES YIELD name, state WHERE state = 'ONLINE' RETURN name")
    assert set(schema.definitions()) <= {record["name"] for record in found.records}


async def test_no_read_scans_all_runs(graph: Neo4jLineageStore, neo4j_url: str) -> None:
    """The walks' statements start at an index, and none sorts a history."""
    from headwater.collector.stores.graph import read_generations, read_runs

    statements = {
        "current": read_generations._CURRENT, "history": read_generations._HISTORY, "next": read_generations._NEXT,
        "reads": read_generations._READS, "latest": read_runs._LATEST,
    }  # fmt: skip
    async with AsyncGraphDatabase.driver(neo4j_url, notifications_min_severity="OFF") as driver:
        for name, text in statements.items():
            parameters = {"rows": [], "limit": 1, "each": 1, "run": ""}
            explained = await driver.execute_query(f"EXPLAIN {text}", parameters)
            operators = set(_operators(explained.summary.plan))
            assert not {each for each in operators if each.endswith("Scan") or each in ("Sort", "Top")}, name


def _operators(plan: Any) -> list[str]:
    return [
        plan["operatorType"].split("@")[0],
        *(each for child in plan.get("children", ()) for each in _operators(child)),
    ]


@pytest.mark.servers
async def test_what_was_returned_survives_a_kill(own_server: Any) -> None:
    server = own_server("neo4j")
    store, hasty = Neo4jLineageStore(server.url), Neo4jLineageStore(server.url, deadline_s=3.0)
    await store.open()
    await hasty.open()
    raw = history("kill")
    await write(store, [raw])
    before = await fingerprint(store)
    await asyncio.to_thread(server.kill)
    with pytest.raises(TransientError):
        await hasty.ping()
    with pytest.raises(TransientError):
        await write(hasty, [raw])
    with pytest.raises(TransientError):
        await hasty.graph_reader().namespaces()
    await asyncio.to_thread(server.start)
    await store.ping()
    assert await fingerprint(store) == before == await fingerprint(hasty)
    await store.close()
    await hasty.close()


@pytest.mark.servers
async def test_a_server_that_hangs_is_said_so_in_time(own_server: Any) -> None:
    server = own_server("neo4j")
    store = Neo4jLineageStore(server.url, deadline_s=1.0)
    raw = history("hang")
    patient = Neo4jLineageStore(server.url)
    await patient.open()
    await write(patient, [raw])
    await store.open()
    server.pause()
    with pytest.raises(TransientError, match="within 1 s"):
        await write(store, [raw])
    with pytest.raises(TransientError, match="within 1 s"):
        await store.graph_reader().namespaces()
    server.resume()
    await write(patient, [raw])
    await store.close()
    await patient.close()


async def test_a_store_that_is_down_is_said_so() -> None:
    store = Neo4jLineageStore("bolt://127.0.0.1:1", deadline_s=5.0)
    with pytest.raises(TransientError):
        await store.open()
    with pytest.raises(TransientError, match="not open"):
        await store.ping()
    await store.close()


async def test_a_graph_of_another_version_is_refused(graph: Neo4jLineageStore, neo4j_url: str) -> None:
    async with AsyncGraphDatabase.driver(neo4j_url) as driver:
        await driver.execute_query("MATCH (m:HeadwaterMeta) SET m.version = 0")
        try:
            with pytest.raises(ConfigurationError, match="version 0"):
                await Neo4jLineageStore(neo4j_url).open()
        finally:
            await driver.execute_query("MATCH (m:HeadwaterMeta) SET m.version = $now", now=schema.SCHEMA_VERSION)


@pytest.mark.parametrize("uri", [None, "http://x", "mongodb://x"])
def test_a_wrong_connection_is_named(uri: str | None) -> None:
    with pytest.raises(ConfigurationError, match="graph_connection_name"):
        Neo4jLineageStore(uri)


async def test_the_graph_reads_like_its_schema(graph: Neo4jLineageStore, neo4j_url: str) -> None:
    """A person's question in Cypher."""
    raw = hostile.event("orders", 1)
    await write(graph, [[raw]])
    async with AsyncGraphDatabase.driver(neo4j_url) as driver:
        found = await driver.execute_query(
            """
            MATCH (j:Job)<-[:RUN_OF]-(r:Run)-[m:MADE]->(g:Generation)-[:GENERATION_OF]->(d:Dataset {name: $name}),
                  (r)-[:READS]->(i:Dataset), (r)-[:SAYS {name: $name, scope: 0}]->(v:Value)
            RETURN j.name, r.state, g.version, m.commitTime IS NOT NULL, i.name, v.body CONTAINS $name
            """,
            name="orders",
        )
    assert [list(record.values()) for record in found.records] == [
        ["orders", "COMPLETED", "vorders", True, "ordersin", True]
    ]
    assert await graph.graph_reader().known_events([projected(raw).event.event_id, "0" * 32]) == {
        projected(raw).event.event_id
    }
    assert (await graph.graph_reader().jobs([Name("orders", "orders")]))[Name("orders", "orders")].design == {}
