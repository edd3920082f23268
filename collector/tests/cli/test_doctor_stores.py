"""``headwater doctor`` connects to each configured store, says what is there, and waits for none of them for long."""

from __future__ import annotations

import asyncio
import gc
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.servers.fixtures import *  # noqa: F403
from tests.servers.ports import free_port
from tests.support import server_stores

from .conftest import Cli
from .test_configured import config

EVERY_STORE = """
[lineage.store]
backend = "composite"
backends = ["document", "graph", "sql", "openlineage"]
[lineage.store.document]
document_connection_name = "audit"
[lineage.store.graph]
graph_connection_name = "lineage"
[lineage.store.sql]
url = "postgresql://ann:pa55word@127.0.0.1:{port}/none"
[lineage.store.openlineage]
url = "http://ann:pa55word@127.0.0.1:{port}"
[connections.audit]
uri = "mongodb://ann:pa55word@127.0.0.1:{port}"
[connections.lineage]
uri = "bolt://127.0.0.1:{port}"
user = "ann"
password = "pa55word"
"""
KEYS = {
    "store document": "connections.audit.uri",
    "store graph": "connections.lineage.uri",
    "store sql": "lineage.store.sql.url",
    "store openlineage": "lineage.store.openlineage.url",
}


def checks(cli: Cli, *more: object) -> tuple[int, dict[str, Any]]:
    """Exit status, and what is said of each store."""
    ended = cli("doctor", "--port", free_port(), "--json", *more)
    found = {check["check"]: check for check in json.loads(ended.out)["checks"]}
    return ended.status, {name: check for name, check in found.items() if name.startswith("store ")}


async def an_empty_graph() -> None:
    async with server_stores.neo4j_store():
        """Its version is there."""


@pytest.fixture
def silent_port() -> Iterator[int]:
    """Of a server that takes connections and never says a word."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(64)
        yield listener.getsockname()[1]


def test_what_is_there_is_told_and_nothing_is_made(
    cli: Cli, mongo_database: Any, neo4j_url: str, tmp_path: Path
) -> None:
    mongo = f"{mongo_database.url}{mongo_database.name}"
    (tmp_path / "headwater.toml").write_text(config(mongo, neo4j_url))
    asyncio.run(an_empty_graph())
    for _ in range(2):
        status, found = checks(cli)
        assert status == 0, found
        seen = {name: check["seen"] for name, check in found.items()}
        assert seen["store document"].startswith("MongoDB ")
        assert seen["store document"].endswith("audit_lineage_events, not there yet; whoever writes first makes it")
        assert seen["store graph"].startswith("Neo4j ")
        assert "a graph of version" in seen["store graph"]


def test_what_is_away_names_key_value_and_remedy(cli: Cli, tmp_path: Path) -> None:
    port = free_port()
    (tmp_path / "headwater.toml").write_text(EVERY_STORE.format(port=port))
    status, found = checks(cli, "--deadline", "1")
    assert status == 3
    assert {name: check["key"] for name, check in found.items()} == KEYS
    for check in found.values():
        assert (check["ok"], check["verdict"]) == (False, "away")
        assert str(port) in check["value"]
        assert check["key"] in check["remedy"]
    assert "pa55word" not in json.dumps(found)
    assert "pa55word" not in cli("doctor", "--port", free_port(), "--deadline", "1").out


@pytest.mark.filterwarnings("ignore:.*socket:pytest.PytestUnraisableExceptionWarning")
def test_who_takes_connections_and_says_nothing_is_away_at_the_deadline(
    cli: Cli, tmp_path: Path, silent_port: int
) -> None:
    (tmp_path / "headwater.toml").write_text(EVERY_STORE.format(port=silent_port))
    status, found = checks(cli, "--deadline", "0.5")
    assert status == 3
    assert set(found) == set(KEYS)
    for name, check in found.items():
        assert (check["verdict"], check["seen"]) == ("away", f"{name} did not answer within 0.5 s")
    gc.collect()  # a driver that is broken off while it connects leaves its socket to the collector


def test_the_databases_of_sqlite(cli: Cli, tmp_path: Path) -> None:
    def seen(path: str) -> dict[str, Any]:
        table = f'[lineage.store.sql]\nurl = "sqlite:///{tmp_path / path}"\n'
        (tmp_path / "headwater.toml").write_text(table)
        return checks(cli)[1]["store sql"]  # type: ignore[no-any-return]

    assert "no database yet" in seen("new.db")["seen"]
    assert not (tmp_path / "new.db").exists()
    (tmp_path / "other.db").write_bytes(b"no database at all" * 100)
    wrong = seen("other.db")
    assert (wrong["verdict"], wrong["key"]) == ("wrong", "lineage.store.sql.url")
    assert "not a database" in wrong["remedy"]
    (tmp_path / "empty.db").touch()
    assert "no tables yet" in seen("empty.db")["seen"]
    assert (tmp_path / "empty.db").stat().st_size == 0
