"""Collectors that start together on an empty database."""

from __future__ import annotations

import asyncio
import random

from neo4j import AsyncGraphDatabase, GraphDatabase
from tests.support.seeds import rng

from headwater.collector.stores.graph import Neo4jLineageStore
from headwater.collector.stores.graph.schema import definitions, prepare

ROUNDS, TOGETHER = 3, 6


async def test_many_make_the_same_indexes_at_once(neo4j_database: str) -> None:
    from tests.servers.places import empty_neo4j

    for _ in range(ROUNDS):
        await asyncio.to_thread(empty_neo4j, neo4j_database)
        stores = [Neo4jLineageStore(neo4j_database) for _ in range(TOGETHER)]
        try:
            await asyncio.gather(*(store.open() for store in stores))
            await asyncio.gather(*(store.ping() for store in stores))
        finally:
            for store in stores:
                await store.close()


def constraints(url: str) -> set[str]:
    with GraphDatabase.driver(url) as driver, driver.session() as session:
        return {name for name in session.run("SHOW CONSTRAINTS YIELD name").value() if name.startswith("headwater_")}


WANTED = {name for name, text in definitions().items() if text.startswith("CREATE CONSTRAINT")}


async def test_an_index_that_lost_its_constraint_is_made_anew(neo4j_database: str) -> None:
    """What is left where a collector was killed while it made the constraint: an index of its name that nobody owns."""
    from tests.servers.places import empty_neo4j

    await asyncio.to_thread(empty_neo4j, neo4j_database)
    with GraphDatabase.driver(neo4j_database) as driver, driver.session() as session:
        session.run("CREATE INDEX headwater_headwatermeta_name FOR (n:HeadwaterMeta) ON (n.name)").consume()
    store = Neo4jLineageStore(neo4j_database)
    await store.open()
    await store.ping()
    await store.close()
    assert constraints(neo4j_database) == WANTED


async def test_a_start_that_was_cut_off_does_not_keep_the_next_one_from_starting(neo4j_database: str) -> None:
    from tests.servers.places import empty_neo4j

    random_s: random.Random = rng()
    for _ in range(3):
        await asyncio.to_thread(empty_neo4j, neo4j_database)
        driver = AsyncGraphDatabase.driver(neo4j_database)
        async with driver.session() as session:
            starting = asyncio.create_task(prepare(session))
            await asyncio.sleep(random_s.uniform(0, 1.0))
            starting.cancel()
            await asyncio.gather(starting, return_exceptions=True)
        await driver.close()
        store = Neo4jLineageStore(neo4j_database)
        await store.open()
        await store.close()
        assert constraints(neo4j_database) == WANTED
