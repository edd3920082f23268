"""Stores on real servers, behind a proxy that can hang or be gone."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from urllib.parse import urlsplit

import pytest

from headwater.collector.stores import DocumentLineageStore, Neo4jLineageStore, SqlLineageStore
from headwater.collector.testing.conformance import Keeps, MakeStore, StoreConformance
from headwater.collector.testing.proxy import Proxy
from tests.conformance.clearing import clear_neo4j, clear_postgres
from tests.servers import places
from tests.servers.fixtures import *  # noqa: F403
from tests.support.seeds import FULL

PATIENT_S, HASTY_S = 60.0, 2.0


def proxied(url: str) -> Iterator[Proxy]:
    parts = urlsplit(url)
    assert parts.hostname is not None
    assert parts.port is not None
    with Proxy(parts.hostname, parts.port) as proxy:
        yield proxy


def through(url: str, port: int) -> str:
    """The same URL by way of the proxy's port."""
    parts = urlsplit(url)
    user = f"{parts.username}@" if parts.username else ""
    return parts._replace(netloc=f"{user}127.0.0.1:{port}").geturl()


class OnServer(StoreConformance):
    deadline_s = HASTY_S
    grace_s = 20.0
    examples = 25 if FULL else 3


def mongo(url: str, deadline_s: float, place: str) -> DocumentLineageStore:
    return DocumentLineageStore(f"{url.rstrip('/')}/{place}", deadline_s=deadline_s)


class TestMongo(OnServer):
    keeps = Keeps.DOCUMENTS

    @pytest.fixture
    def faults(self, mongo_url: str) -> Iterator[Proxy]:
        yield from proxied(mongo_url)
        drop_databases(mongo_url)

    @pytest.fixture
    def make_store(self, mongo_url: str, faults: Proxy) -> MakeStore:
        return partial(mongo, through(mongo_url, faults.port), PATIENT_S)

    @pytest.fixture
    def make_hasty_store(self, mongo_url: str, faults: Proxy) -> MakeStore:
        return partial(mongo, through(mongo_url, faults.port), HASTY_S)


def drop_databases(url: str) -> None:
    from pymongo import MongoClient

    with MongoClient(url, serverSelectionTimeoutMS=30_000) as client:
        for name in client.list_database_names():
            if name.startswith("conformance_"):
                client.drop_database(name)


def neo4j(direct: str, url: str, deadline_s: float, place: str) -> Neo4jLineageStore:
    clear_neo4j(direct, place)
    return Neo4jLineageStore(url, deadline_s=deadline_s)


@pytest.mark.soak  # some minutes; every scenario and random history runs on Neo4j every day
class TestNeo4j(OnServer):
    keeps = Keeps.GRAPH

    @pytest.fixture
    def faults(self, neo4j_url: str) -> Iterator[Proxy]:
        yield from proxied(neo4j_url)

    @pytest.fixture
    def make_store(self, neo4j_url: str, faults: Proxy) -> MakeStore:
        return partial(neo4j, neo4j_url, through(neo4j_url, faults.port), PATIENT_S)

    @pytest.fixture
    def make_hasty_store(self, neo4j_url: str, faults: Proxy) -> MakeStore:
        return partial(neo4j, neo4j_url, through(neo4j_url, faults.port), HASTY_S)


def postgres(direct: str, url: str, deadline_s: float, place: str) -> SqlLineageStore:
    clear_postgres(direct, place)
    return SqlLineageStore(url, deadline_s=deadline_s)


@pytest.fixture(scope="module")
def database(postgres_url: str) -> Iterator[str]:
    with places.postgres_database(postgres_url) as url:
        yield url


class TestPostgres(OnServer):
    @pytest.fixture
    def faults(self, postgres_url: str) -> Iterator[Proxy]:
        yield from proxied(postgres_url)

    @pytest.fixture
    def make_store(self, database: str, faults: Proxy) -> MakeStore:
        return partial(postgres, database, through(database, faults.port), PATIENT_S)

    @pytest.fixture
    def make_hasty_store(self, database: str, faults: Proxy) -> MakeStore:
        return partial(postgres, database, through(database, faults.port), HASTY_S)
