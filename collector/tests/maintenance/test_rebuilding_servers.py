"""Rebuilding the graph in Neo4j from MongoDB and in PostgreSQL from its own documents, and emptying all three."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from neo4j import AsyncGraphDatabase
from tests.reference.test_histories import raw_events
from tests.support.comparing import fingerprint
from tests.support.seeds import rng
from tests.support.worlds import projected

from headwater.collector.maintenance.rebuilding import Rebuilder, Rebuilt, graphs_of, interrupted
from headwater.collector.questions import Questions
from headwater.collector.stores.composite import CompositeLineageStore
from headwater.collector.stores.document import DocumentLineageStore
from headwater.collector.stores.graph import Neo4jLineageStore
from headwater.collector.stores.graph.rebuilding import LABELS
from headwater.collector.stores.reading import EventFilter
from headwater.collector.stores.sql import SqlLineageStore
from headwater.collector.testing.reference.histories import Historian
from headwater.shared.errors import ConfigurationError


async def cypher(url: str, statement: str) -> list[list[Any]]:
    async with AsyncGraphDatabase.driver(url) as driver:
        return [list(record.values()) for record in (await driver.execute_query(statement)).records]


async def test_the_graph_from_the_documents(
    documents: DocumentLineageStore, graph: Neo4jLineageStore, neo4j_url: str
) -> None:
    raw = raw_events(Historian(rng("rebuild neo4j"), runs=60).history())
    events = list({projected(one).event.event_id: projected(one) for one in raw}.values())
    stores = CompositeLineageStore([documents, graph])
    await stores.open()
    await stores.write(events)
    before = await fingerprint(graph)
    labels = {row[0] for row in await cypher(neo4j_url, "MATCH (n) UNWIND labels(n) AS label RETURN DISTINCT label")}
    assert labels <= {*LABELS, "HeadwaterMeta"}

    # Broken off while it is filled: the marker says so, and the next one goes on.
    def kill(step: str, count: int, _: int | None) -> None:
        if step == "compare":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await Rebuilder(stores, Rebuilt(), progress=kill).run(graphs_of([documents, graph], None))
    marker = await interrupted(graph)
    assert marker is not None
    assert marker.emptied
    assert await fingerprint(graph) != before
    done = Rebuilt()
    await Rebuilder(stores, done).run(graphs_of([documents, graph], None))
    assert done.resumed == {"graph": True}
    assert await fingerprint(graph) == before
    assert await interrupted(graph) is None

    # Another version, with an index that is no longer wanted.
    await cypher(neo4j_url, "MATCH (m:HeadwaterMeta {name: 'schema'}) SET m.version = 0")
    await cypher(neo4j_url, "CREATE INDEX headwater_old IF NOT EXISTS FOR (n:Run) ON (n.colour)")
    await cypher(neo4j_url, "MATCH (n:Run) SET n.state = 'ABORTED'")
    other = Neo4jLineageStore(neo4j_url)
    with pytest.raises(ConfigurationError, match="headwater rebuild"):
        await other.open()
    done = Rebuilt()
    await Rebuilder(CompositeLineageStore([documents, other]), done).run(graphs_of([documents, other], None))
    assert done.folded == {"graph": len(events)}
    assert done.whole
    assert await fingerprint(other) == before
    names = {row[0] for row in await cypher(neo4j_url, "SHOW INDEXES YIELD name")}
    assert "headwater_old" not in names
    await other.close()


async def test_documents_that_are_away_cost_nothing(graph: Neo4jLineageStore) -> None:
    with pytest.raises(ConfigurationError, match="no store has the documents"):
        graphs_of([graph], None)


async def test_emptied_servers_hold_nothing_and_take_events(
    documents: DocumentLineageStore, graph: Neo4jLineageStore, neo4j_url: str
) -> None:
    raw = raw_events(Historian(rng("reset"), runs=10).history())
    events = list({projected(one).event.event_id: projected(one) for one in raw}.values())
    stores = CompositeLineageStore([documents, graph])
    await stores.open()
    await stores.write(events)
    before = await fingerprint(graph)
    await documents.reset()
    await graph.reset()
    assert (await documents.document_reader().counts())["events"] == 0
    assert await fingerprint(graph) == "0" * 64
    assert [row[0] for row in await cypher(neo4j_url, "MATCH (n) RETURN labels(n)[0]")] == ["HeadwaterMeta"]
    await stores.write(events)
    assert await fingerprint(graph) == before
    assert (await documents.document_reader().counts())["events"] == len(events)


@pytest.mark.parametrize("other_version", [False, True], ids=["this version", "another version"])
async def test_postgres_from_its_own_documents(postgres_database: str, other_version: bool) -> None:
    raw = raw_events(Historian(rng("rebuild postgres"), runs=60).history())
    store = SqlLineageStore(postgres_database)
    await store.open()
    await store.write([projected(one) for one in raw])
    before = await Questions(store.reader()).fingerprint()
    listed = await store.reader().list_documents(EventFilter(), 10_000, 0)
    await store.close()
    if other_version:
        with psycopg.connect(postgres_database) as connection:
            connection.execute("ALTER TABLE document DROP COLUMN type CASCADE")
            connection.execute("DROP TABLE job_edge")
            connection.execute("UPDATE meta SET value = '1'")
    store, done = SqlLineageStore(postgres_database), Rebuilt()
    await Rebuilder(CompositeLineageStore([store]), done).run(graphs_of([store], None))
    assert done.whole
    assert done.folded == {"sql": len(listed)}
    assert await Questions(store.reader()).fingerprint() == before
    assert await store.reader().list_documents(EventFilter(), 10_000, 0) == listed
    await store.reset()
    assert (await store.reader().counts())["events"] == 0
    assert {event_id async for event_id in store.reader().event_ids()} == set()
    await store.close()
