"""Runs the command line in this process, over a directory with a small story in it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from headwater.collector.cli import main
from headwater.collector.embedded import Embedded

from .events import event, facet, lines
from .processes import start  # noqa: F401 - a fixture

COLUMNS = {"eur": {"inputFields": [{"namespace": "shop", "name": "orders", "field": "amount"}]}}

TWO_DATABASES = """
[lineage.store]
backend = "composite"
backends = ["first", "second"]
[lineage.store.first]
type = "sql"
url = "sqlite:///first.db"
[lineage.store.second]
type = "sql"
url = "sqlite:///second.db"
"""
"""A ``headwater.toml`` of two SQLite files side by side."""


class Ended(NamedTuple):
    """How a command ended."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Cli = Callable[..., Ended]


@pytest.fixture
def cli(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Cli:
    """``cli("runs", "--json")`` as a person would type it, in a working directory without configuration."""
    monkeypatch.chdir(tmp_path)
    for name in ("HEADWATER_DIR", "HEADWATER_API", "HEADWATER_URL", "HEADWATER_CONFIG", "HEADWATER_STORE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HEADWATER_SPOOL", str(tmp_path / "spool"))

    def run(*arguments: object) -> Ended:
        capfd.readouterr()
        try:
            main([str(each) for each in arguments])
        except SystemExit as ended:
            status = ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
        else:
            status = 0
        out, err = capfd.readouterr()
        return Ended(status, out, err)

    return run


def story() -> bytes:
    """Two releases of ``revenue`` with a failed attempt between them, the second one a retry."""
    revenue = {"columnLineage": facet(fields=COLUMNS), "version": facet(datasetVersion="rev-3")}
    last = event("retry", at=9, job="publish", inputs=["orders@snap-2"], facets=_attempt("publish/2"))
    last["outputs"] = [{"namespace": "shop", "name": "revenue", "facets": revenue}]
    return lines(
        event("load 1", at=1, job="load", outputs=["orders@snap-1"]),
        event("first", "START", at=2, job="publish", facets=_attempt("publish/1")),
        event("first", at=3, job="publish", inputs=["orders@snap-1"], outputs=["revenue@rev-1"]),
        event("failed", "START", at=4, job="publish", inputs=["orders@snap-1"], facets=_attempt("publish/2")),
        event(
            *("failed", "FAIL"), at=5, job="publish", outputs=["revenue@rev-2"],
            facets={"errorMessage": facet(message="too little revenue", programmingLanguage="python")},
        ),
        event("load 2", at=6, job="load", outputs=["orders@snap-2"]),
        event("retry", "START", at=8, job="publish", facets=_attempt("publish/2")),
        last,
    )  # fmt: skip


def _attempt(key: str) -> dict[str, Any]:
    return {"headwater_attempt": facet(logicalKey=key)}


@pytest.fixture(scope="session")
def told(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory that holds the story, for reading only."""
    directory = tmp_path_factory.mktemp("told") / "data"

    async def collect() -> None:
        async with Embedded(directory) as embedded:
            await embedded.ingest(story().splitlines())

    asyncio.run(collect())
    return directory
