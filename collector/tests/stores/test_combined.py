"""Documents from one store and the graph from another, as the manager hands them to the questions."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.support import hostile
from tests.support.worlds import projected

from headwater.collector.manager import LineageManager
from headwater.collector.questions import Questions
from headwater.collector.settings import Settings
from headwater.collector.stores import DocumentLineageStore, Neo4jLineageStore
from headwater.collector.stores.reading import EventFilter
from headwater.collector.stores.registry import installed
from headwater.shared.errors import ConfigurationError, TransientError


def settings(backends: list[str], neo4j: str, mongo: str) -> Settings:
    store = {
        "backend": "composite",
        "backends": backends,
        "document": {"collection_name": "audit", "document_connection_name": "default_mongo"},
        "graph": {"graph_connection_name": "analytics_graph"},
    }
    connections = {"default_mongo": {"uri": mongo}, "analytics_graph": {"uri": neo4j}}
    return Settings(lineage={"store": store}, connections=connections)


@pytest.fixture(autouse=True)
def no_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


async def test_one_reader_from_two_stores(graph: Neo4jLineageStore, neo4j_url: str, mongo_database: Any) -> None:
    uri = f"{mongo_database.url}{mongo_database.name}"
    async with LineageManager(settings(["document", "graph"], neo4j_url, uri)) as manager:
        raw = [hostile.event(name, number) for number, name in enumerate(hostile.names(20))]
        await manager.get_store().write([projected(one) for one in raw])
        questions = Questions(manager.reader())
        total, listed = await questions.events(EventFilter(), limit=100)
        assert total == 20
        assert {each.raw for each in listed} == set(raw)
        counts = {"events": 20, "eventsWithProblems": 0, "runs": 20, "jobs": 20, "datasets": 40, "generations": 20}
        assert await questions.counts() == counts
        assert (await questions.runs(limit=50))["runs"][0]["state"] == "COMPLETED"
        assert len(await questions.fingerprint()) == 64


@pytest.mark.parametrize("backends", [["document"], ["graph"]])
async def test_half_a_reader_is_none(backends: list[str]) -> None:
    manager = LineageManager(settings(backends, "bolt://127.0.0.1:1", "mongodb://127.0.0.1:1"))
    with pytest.raises(ConfigurationError, match="none of these stores can be read"):
        manager.reader()


async def test_a_store_that_is_not_open_cannot_be_read() -> None:
    manager = LineageManager(settings(["document", "graph"], "bolt://127.0.0.1:1", "mongodb://127.0.0.1:1"))
    with pytest.raises(TransientError):
        manager.reader()


def test_the_entry_points_name_the_classes() -> None:
    targets = {each.name: each.target for each in installed()}
    for name, kind in {"document": DocumentLineageStore, "graph": Neo4jLineageStore}.items():
        assert targets[name] == f"headwater.collector.stores:{kind.__name__}"
    assert targets["openlineage"] == "headwater.collector.stores:OpenLineageStore"


def test_no_driver_is_imported_before_its_store_is() -> None:
    code = (
        "import sys, headwater.collector, headwater.collector.stores, headwater.collector.manager\n"
        "print([each for each in ('pymongo', 'bson', 'neo4j', 'httpx', 'sqlalchemy') if each in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"
