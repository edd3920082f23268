"""What both stores hold in the end, and what they would hold had nothing happened."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pymongo import MongoClient

from headwater.collector.questions import Questions
from headwater.collector.stores.combined import reader_of
from headwater.collector.stores.document import DocumentLineageStore
from headwater.collector.stores.graph import Neo4jLineageStore
from headwater.shared.codec import decode
from tests.integration.faults.cluster import Cluster
from tests.support.worlds import sqlite_world

COLLECTION = "audit_lineage_events"


def documents(cluster: Cluster) -> list[tuple[str, bytes]]:
    """Event id and bytes of every document, asked of the server without headwater."""
    client: MongoClient[dict[str, Any]]
    with MongoClient(cluster.servers["mongo"].url) as client:
        found = client[cluster.database][COLLECTION].find({}, {"raw": 1})
        return [(document["_id"], bytes(document["raw"])) for document in found]


def graph_ids(cluster: Cluster) -> list[str]:
    """The id of every event node, asked of the server without headwater."""
    from neo4j import GraphDatabase

    with GraphDatabase.driver(cluster.servers["neo4j"].url) as driver:
        found = driver.execute_query("MATCH (e:Event) RETURN e.id AS id", database_="neo4j")
        return [record["id"] for record in found.records]


def check_once_each(cluster: Cluster, events: Iterable[bytes]) -> None:
    """Both stores hold these events, byte for byte, each once, and no other."""
    expected = {decode(raw).event_id: raw for raw in events}
    held = documents(cluster)
    assert len(held) == len(expected), f"{len(held)} documents of {len(expected)} events"
    assert dict(held) == expected
    ids = graph_ids(cluster)
    assert len(ids) == len(expected), f"{len(ids)} events in the graph, of {len(expected)}"
    assert set(ids) == set(expected)


async def fingerprint(cluster: Cluster) -> str:
    """Of the graph on Neo4j."""
    document = DocumentLineageStore(f"{cluster.servers['mongo'].url}{cluster.database}")
    graph = Neo4jLineageStore(cluster.servers["neo4j"].url)
    await document.open()
    await graph.open()
    try:
        reader = reader_of([document, graph])
        assert reader is not None
        return await Questions(reader).fingerprint()
    finally:
        await document.close()
        await graph.close()


async def undisturbed_fingerprint(events: Sequence[bytes]) -> str:
    """Of the same events in SQLite, written in order by one process that nobody disturbs."""
    async with sqlite_world() as world:
        for at in range(0, len(events), 1000):
            await world.take([events[at : at + 1000]])
        return await world.questions.fingerprint()
