"""A place of one's own on a server that others use too."""

from __future__ import annotations

import contextlib
import logging
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import TracebackType
from urllib.parse import urlsplit
from uuid import uuid4

from tests.servers.errors import ServersError

_QUIET = logging.getLogger("tests.servers.kafka")
_TIMEOUT_S = 30
_GOODBYE_S = 5
"""To delete all that a test made. Now and then the client never says that it is done."""


def fresh_name(kind: str = "test") -> str:
    """Lower-case letters, digits and underscores, never the same twice."""
    return f"headwater_{kind}_{uuid4().hex[:12]}"


@dataclass
class KafkaTopics:
    """A context in which topics are made; its end deletes them, if the broker can be reached."""

    url: str
    made: list[str] = field(default_factory=list)

    def make(self, name: str | None = None, *, partitions: int = 1, **config: object) -> str:
        """Create a topic, with ``config`` as the broker names it (dots as underscores), and return its name once the
        broker serves all its partitions."""
        from confluent_kafka import KafkaError, KafkaException
        from confluent_kafka.admin import NewTopic

        name = name or fresh_name("topic").replace("_", ".")
        settings = {key.replace("_", "."): str(value) for key, value in config.items()}
        admin = self._admin()
        topic = NewTopic(name, num_partitions=partitions, replication_factor=1, config=settings)
        until = time.monotonic() + _TIMEOUT_S
        while True:
            try:
                admin.create_topics([topic], operation_timeout=_TIMEOUT_S)[name].result(_TIMEOUT_S)
                break
            except KafkaException as error:  # a broker on a machine that is too busy may be fenced for a moment
                if error.args[0].code() != KafkaError.INVALID_REPLICATION_FACTOR or time.monotonic() > until:
                    raise
                time.sleep(0.2)
        self.made.append(name)
        return name

    def belongs(self, name: str) -> str:
        """Delete this topic too, which something else makes."""
        self.made.append(name)
        return name

    def __enter__(self) -> KafkaTopics:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.made:
            admin = self._admin()  # kept: without its client an answer may never come
            until = time.monotonic() + _GOODBYE_S
            for deleted in admin.delete_topics(self.made, request_timeout=_GOODBYE_S).values():
                with contextlib.suppress(Exception):  # never made, or the broker was left down
                    deleted.result(max(0.0, until - time.monotonic()))

    def _admin(self):  # type: ignore[no-untyped-def]
        from confluent_kafka.admin import AdminClient

        return AdminClient({"bootstrap.servers": self.url, "log_level": 0}, logger=_QUIET)


@dataclass(frozen=True)
class MongoDatabase:
    """A database on a server: ``MongoClient(place.url)[place.name]``."""

    url: str
    name: str


@contextlib.contextmanager
def mongo_database(url: str) -> Iterator[MongoDatabase]:
    """A fresh name; what is there afterwards is dropped."""
    from pymongo import MongoClient

    place = MongoDatabase(url, fresh_name())
    yield place
    with MongoClient(url, serverSelectionTimeoutMS=_TIMEOUT_S * 1000) as client:
        client.drop_database(place.name)


@contextlib.contextmanager
def postgres_database(url: str) -> Iterator[str]:
    """A new database on the server of ``url``; dropped afterwards, its connections with it."""
    import psycopg

    name = fresh_name()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    yield urlsplit(url)._replace(path=f"/{name}").geturl()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def empty_neo4j(url: str) -> None:
    """Delete every node, relationship, constraint and index. See ``empty_graph``.

    A server that is not on loopback may be somebody's: then HEADWATER_TEST_NEO4J_EMPTY=1 must say so. Raises
    ServersError without it.
    """
    from neo4j import GraphDatabase

    empty_graph(url)
    with GraphDatabase.driver(url) as driver, driver.session(database="neo4j") as session:
        for kind, plural in (("CONSTRAINT", "CONSTRAINTS"), ("INDEX", "INDEXES")):
            kept = "WHERE type <> 'LOOKUP'" if kind == "INDEX" else ""  # the two that every database comes with
            for name in session.run(f"SHOW {plural} YIELD name, type {kept} RETURN name").value():
                session.run(f"DROP {kind} `{name.replace('`', '``')}` IF EXISTS").consume()


def empty_graph(url: str) -> None:
    """Delete every node and relationship. Constraints and indexes stay: to make them takes seconds, and the server then
    plans every statement anew. Raises ServersError as ``empty_neo4j``."""
    from neo4j import GraphDatabase

    if urlsplit(url).hostname not in ("localhost", "127.0.0.1", "::1") and not os.environ.get(
        "HEADWATER_TEST_NEO4J_EMPTY"
    ):
        raise ServersError(f"the test would delete everything in {url}: set HEADWATER_TEST_NEO4J_EMPTY=1 if it may")
    with GraphDatabase.driver(url) as driver, driver.session(database="neo4j") as session:
        session.run("MATCH (n) CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 5000 ROWS").consume()
