"""The servers, by name."""

from __future__ import annotations

from tests.servers.kinds.kafka import Kafka
from tests.servers.kinds.mongo import Mongo
from tests.servers.kinds.neo4j import Neo4j
from tests.servers.kinds.postgres import Postgres
from tests.servers.server import Server

KINDS: dict[str, type[Server]] = {kind.name: kind for kind in (Kafka, Neo4j, Mongo, Postgres)}

__all__ = ["KINDS", "Kafka", "Mongo", "Neo4j", "Postgres"]
