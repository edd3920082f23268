"""Reading commands on MongoDB and Neo4j, as configured: the answers of the embedded directory."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.servers.fixtures import *  # noqa: F403
from tests.support import server_stores
from tests.support.worlds import projected

from headwater.collector.stores.document import DocumentLineageStore

from .conftest import Cli, story
from .events import run_id

READS: list[list[str]] = [
    ["lineage", "dataset:shop:revenue", "--columns"],
    ["runs"],
    ["runs", "--job", "job:shop:publish", "--status", "FAILED"],
    ["run", run_id("retry")],
    ["evidence", "shop", "revenue"],
    ["impact", "shop", "orders"],
    ["columns", "shop", "revenue", "eur"],
    ["fingerprint"],
]


def config(mongo: str, neo4j: str) -> str:
    return f"""
[lineage.store]
backend = "composite"
backends = ["document", "graph"]
[lineage.store.document]
document_connection_name = "audit"
[lineage.store.graph]
graph_connection_name = "lineage"
[connections.audit]
uri = "{mongo}"
[connections.lineage]
uri = "{neo4j}"
"""


@pytest.fixture
def servers(tmp_path: Path, cli: Cli, mongo_database: Any, neo4j_url: str) -> Path:
    """A working directory whose configuration names both servers, which hold the story."""
    mongo = f"{mongo_database.url}{mongo_database.name}"

    async def write() -> None:
        events = [projected(line) for line in story().splitlines()]
        async with server_stores.neo4j_store() as graph:
            await graph.write(events)
        documents = DocumentLineageStore(mongo)
        await documents.open()
        await documents.write(events)
        await documents.close()

    asyncio.run(write())
    (tmp_path / "headwater.toml").write_text(config(mongo, neo4j_url))
    return tmp_path


def test_every_read_answers_as_the_directory_does(cli: Cli, servers: Path, told: Path) -> None:
    for read in READS:
        from_servers = cli(*read, "--json")
        assert from_servers.status == 0, (read, from_servers.err)
        assert from_servers.json == cli(*read, "--json", "--dir", told).json, read


def test_a_server_that_is_away_is_status_3(cli: Cli, tmp_path: Path) -> None:
    mongo = "mongodb://127.0.0.1:1/x?serverSelectionTimeoutMS=200"
    hasty = config(mongo, "bolt://127.0.0.1:1").replace(
        "[lineage.store.document]", "[lineage.store.document]\ndeadline_s = 1"
    )
    (tmp_path / "headwater.toml").write_text(hasty)
    ended = cli("runs")
    assert (ended.status, ended.out) == (3, "")
    assert "document" in ended.err


def test_stores_that_cannot_be_read_are_status_2(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_STORE", "logging")
    ended = cli("runs")
    assert ended.status == 2
    assert "none of these stores can be read" in ended.err
