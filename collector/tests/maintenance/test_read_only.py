"""Stores that are opened for reading make nothing."""

from __future__ import annotations

from typing import Any

from neo4j import AsyncGraphDatabase
from pymongo import AsyncMongoClient

from headwater.collector.embedded import Embedded
from headwater.collector.settings import Settings
from headwater.collector.stores.document import DocumentLineageStore
from headwater.collector.stores.graph import Neo4jLineageStore
from headwater.collector.stores.rebuilding import RebuildMarker
from headwater.collector.stores.registry import build_store

from .memories import LONG_AGO


async def test_mongo(mongo_database: Any) -> None:
    uri = f"{mongo_database.url}{mongo_database.name}"
    store = DocumentLineageStore(uri, read_only=True)
    await store.open()
    assert (await store.document_reader().counts())["events"] == 0
    assert [each async for each in store.document_reader().event_ids()] == []
    await store.close()
    client: AsyncMongoClient[dict[str, object]]
    async with AsyncMongoClient(uri) as client:
        assert await client[mongo_database.name].list_collection_names() == []


async def test_neo4j(neo4j_url: str, graph: Neo4jLineageStore) -> None:
    await graph.close()
    async with AsyncGraphDatabase.driver(neo4j_url) as driver:
        await driver.execute_query("MATCH (m:HeadwaterMeta) DELETE m")
        store = Neo4jLineageStore(neo4j_url, read_only=True)
        await store.open()
        assert (await store.graph_reader().counts())["runs"] == 0
        await store.close()
        found = await driver.execute_query("MATCH (n) RETURN count(*)")
        assert found.records[0][0] == 0


def test_a_store_that_does_not_know_the_word_is_made_without_it() -> None:
    settings = Settings(lineage={"store": {"backend": "logging"}})
    assert build_store("logging", settings, read_only=True).name == "logging"


async def test_readiness_tells_of_a_rebuild(tmp_path: Any, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    async with Embedded(tmp_path / "data") as embedded:
        assert "graph" not in (await embedded.readiness()).checks
        store: Any = embedded.manager.get_store()
        await store.empty_graph(RebuildMarker("somebody", "1", LONG_AGO))
        readiness = await embedded.readiness()
        assert readiness.ready
        assert readiness.checks["graph"].startswith("the graph is not whole: a rebuild began at 2020-01-01T00:00:00Z")
