"""Stores on real servers: emptied before each use, constraints and indexes kept."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

from headwater.collector.stores.base import LineageStoreProtocol
from headwater.collector.stores.combined import reader_of
from headwater.collector.stores.composite import CompositeLineageStore
from headwater.collector.stores.reading import Reader
from tests.support.servers import needed

if TYPE_CHECKING:
    from headwater.collector.stores.document import DocumentLineageStore
    from headwater.collector.stores.graph import Neo4jLineageStore
    from headwater.collector.stores.sql import SqlLineageStore

DATABASE = "headwater_worlds"
PATIENCE_S = 300.0
"""For a machine that is busy with other things; what is slow shows in the tests' times."""


@asynccontextmanager
async def neo4j() -> AsyncIterator[tuple[LineageStoreProtocol, Reader]]:
    """The graph alone; documents cannot be asked for."""
    async with neo4j_store() as graph:
        yield graph, cast(Reader, graph.graph_reader())


@asynccontextmanager
async def mongo_neo4j() -> AsyncIterator[tuple[LineageStoreProtocol, Reader]]:
    """Documents in MongoDB, the graph in Neo4j, as in production."""
    async with mongo_store() as document, neo4j_store() as graph:
        reader = reader_of([document, graph])
        assert reader is not None
        yield CompositeLineageStore([document, graph]), reader


@asynccontextmanager
async def postgres() -> AsyncIterator[tuple[LineageStoreProtocol, Reader]]:
    """Documents and graph in PostgreSQL."""
    async with postgres_store() as store:
        yield store, store.reader()


@asynccontextmanager
async def postgres_store() -> AsyncIterator[SqlLineageStore]:
    """Empty and open."""
    from headwater.collector.stores.sql import SqlLineageStore

    store = SqlLineageStore(empty_postgres(needed("postgres")), deadline_s=PATIENCE_S)
    await store.open()
    try:
        yield store
    finally:
        await store.close()


def empty_postgres(url: str) -> str:
    """The URL of a database of the tests' own on that server, without rows."""
    import psycopg
    from psycopg.sql import SQL, Identifier

    place = urlsplit(url)._replace(path=f"/{DATABASE}").geturl()
    try:
        with psycopg.connect(place) as connection:
            found = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
            for (name,) in found:
                if name != "meta":  # TRUNCATE makes new files for every table and index: it takes ten times as long
                    connection.execute(SQL("DELETE FROM {}").format(Identifier(name)))
    except psycopg.OperationalError:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(SQL("CREATE DATABASE {}").format(Identifier(DATABASE)))
    return place


@asynccontextmanager
async def neo4j_store() -> AsyncIterator[Neo4jLineageStore]:
    """Empty and open."""
    from neo4j import AsyncGraphDatabase

    from headwater.collector.stores.graph import Neo4jLineageStore

    url = needed("neo4j")
    async with AsyncGraphDatabase.driver(url) as driver, driver.session() as session:
        await (await session.run(_EMPTY)).consume()
    store = Neo4jLineageStore(url)
    await store.open()
    try:
        yield store
    finally:
        await store.close()


@asynccontextmanager
async def mongo_store() -> AsyncIterator[DocumentLineageStore]:
    """Empty and open."""
    from pymongo import AsyncMongoClient

    from headwater.collector.stores.document import DocumentLineageStore

    url = needed("mongo")
    client: AsyncMongoClient[dict[str, object]]
    async with AsyncMongoClient(url) as client:
        for collection in await client[DATABASE].list_collection_names():
            await client[DATABASE][collection].delete_many({})
    store = DocumentLineageStore(f"{url}{DATABASE}")
    await store.open()
    try:
        yield store
    finally:
        await store.close()


_EMPTY = "MATCH (n) WHERE NOT n:HeadwaterMeta CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 5000 ROWS"
