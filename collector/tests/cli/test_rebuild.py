"""``headwater rebuild`` on an embedded directory."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from headwater.collector.stores.rebuilding import RebuildMarker
from headwater.collector.stores.sql import SqlLineageStore

from .conftest import Cli


@pytest.fixture
def copy(told: Path, tmp_path: Path) -> Path:
    """A directory of one's own that holds the story."""
    return Path(shutil.copytree(told, tmp_path / "copy"))


def test_it_says_what_it_would_do_and_does_it(cli: Cli, copy: Path) -> None:
    before = cli("fingerprint", "--dir", copy).out
    refused = cli("rebuild", "--dir", copy)
    assert (refused.status, refused.out) == (2, "")
    assert "5 runs" in refused.err
    assert "fold 8 events again" in refused.err
    assert "--yes" in refused.err
    done = cli("rebuild", "--dir", copy, "--yes")
    assert (done.status, done.out) == (0, "sql: 8 events folded\n")
    assert cli("fingerprint", "--dir", copy).out == before
    as_json = cli("rebuild", "--dir", copy, "--yes", "--json").json
    assert as_json["stores"] == {"sql": {"folded": 8, "resumed": False}}
    assert as_json["complete"] is True


def test_reads_say_that_the_graph_is_not_whole(cli: Cli, copy: Path) -> None:
    before = cli("runs", "--dir", copy, "--json")
    assert before.err == ""

    async def begin() -> None:
        store = SqlLineageStore(f"sqlite:///{copy / 'headwater.db'}")
        await store.empty_graph(RebuildMarker("somebody", "0", "2026-03-02T02:00:00.000000000Z"))
        await store.close()

    asyncio.run(begin())
    during = cli("runs", "--dir", copy, "--json")
    assert during.json["runs"] == []
    assert "not whole: a rebuild began at 2026-03-02T02:00:00Z" in during.err
    assert cli("rebuild", "--dir", copy, "--yes").status == 0
    assert cli("runs", "--dir", copy, "--json") == before


def test_no_data(cli: Cli) -> None:
    assert cli("rebuild", "--yes").status == 2
