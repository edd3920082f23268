"""Pytest fixtures over the servers: ``from tests.servers.fixtures import *`` in a conftest.

A session has one server of a kind, however many conftests import this, and every test a place of its own on it. Where
no server can be had the test is skipped with the reason, and fails in CI.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

import pytest

from tests.servers import places
from tests.servers.errors import ServerMissing
from tests.servers.finding import find, own
from tests.servers.places import KafkaTopics, MongoDatabase
from tests.servers.server import Server
from tests.support.seeds import IN_CI

T = TypeVar("T")

__all__ = [
    "kafka_topics",
    "kafka_url",
    "mongo_database",
    "mongo_url",
    "neo4j_database",
    "neo4j_url",
    "own_server",
    "postgres_database",
    "postgres_url",
]


@pytest.fixture(scope="session")
def kafka_url() -> str:
    """A bootstrap address."""
    return _had(find, "kafka")


@pytest.fixture(scope="session")
def neo4j_url() -> str:
    """bolt://host:port, no authentication."""
    return _had(find, "neo4j")


@pytest.fixture(scope="session")
def mongo_url() -> str:
    """mongodb://host:port/"""
    return _had(find, "mongo")


@pytest.fixture(scope="session")
def postgres_url() -> str:
    """postgresql://user@host:port/database of a user who may create databases."""
    return _had(find, "postgres")


@pytest.fixture
def kafka_topics(kafka_url: str) -> Iterator[KafkaTopics]:
    """Makes fresh topics, deleted after the test."""
    with KafkaTopics(kafka_url) as topics:
        yield topics


@pytest.fixture
def mongo_database(mongo_url: str) -> Iterator[MongoDatabase]:
    """A fresh database, dropped after the test: its url (of the server) and its name."""
    with places.mongo_database(mongo_url) as database:
        yield database


@pytest.fixture
def postgres_database(postgres_url: str) -> Iterator[str]:
    """The URL of a fresh database, dropped after the test whoever is connected."""
    with places.postgres_database(postgres_url) as url:
        yield url


@pytest.fixture
def neo4j_database(neo4j_url: str) -> str:
    """The URL of the database, emptied, its constraints and indexes too: the community edition has only one."""
    places.empty_neo4j(neo4j_url)
    return neo4j_url


@pytest.fixture
def own_server() -> Iterator[Callable[[str], Server]]:
    """``own_server("kafka")``: this session's own server of that kind, running, to kill, pause and restart. It is
    the one behind ``kafka_url`` unless that came from the environment or a container; after the test it runs again."""
    used: dict[str, Server] = {}

    def get(name: str) -> Server:
        server = used[name] = _had(own, name)
        server.start()
        return server

    yield get
    for server in used.values():
        server.resume()
        server.start()


def _had(get: Callable[[str], T], name: str) -> T:
    from tests.support.lanes import check_lane  # which imports this module

    check_lane()
    try:
        return get(name)
    except ServerMissing as missing:
        if IN_CI:
            pytest.fail(f"{name}: {missing}", pytrace=False)
        pytest.skip(f"{name}: {missing}")
