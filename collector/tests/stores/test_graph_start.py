"""Collectors that start together on an empty database."""

from __future__ import annotations

import asyncio

from headwater.collector.stores.graph import Neo4jLineageStore

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
