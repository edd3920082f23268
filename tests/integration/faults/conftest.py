"""Servers that these tests kill."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.faults.cluster import Cluster
from tests.servers.fixtures import kafka_topics, kafka_url, mongo_url, neo4j_url, own_server  # noqa: F401
from tests.servers.places import KafkaTopics, empty_graph, fresh_name


@pytest.fixture
def cluster(own_server: Any, tmp_path: Path) -> Iterator[Cluster]:  # noqa: F811
    """A topic of three partitions, an empty graph, an empty database of documents, and no worker yet."""
    servers = {name: own_server(name) for name in ("kafka", "mongo", "neo4j")}
    empty_graph(servers["neo4j"].url)
    with KafkaTopics(servers["kafka"].url) as topics:
        made = Cluster(servers, topics, tmp_path, fresh_name("faults"))
        try:
            yield made
        finally:
            made.end()
