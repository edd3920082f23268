"""A disk that is full or that takes nothing costs lineage, counted to the event, and never the application."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.collector import collector

from .processes import Child

COUNT = 100
EVENTS = 2 * COUNT + 2
"""START and COMPLETE or FAIL of each piece of work and of the run around them."""


@pytest.fixture
def port() -> int:
    """Where nobody listens yet."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def work(port: int, spool: Path, *limit: str) -> tuple[dict[str, Any], str]:
    """The accounts of an application whose own work must have come out right, and what it logged."""
    env = {"HEADWATER_URL": f"http://127.0.0.1:{port}", "HEADWATER_SPOOL": str(spool)}
    child = Child("tests.promises.application", str(COUNT), *limit, env=env)
    said = json.loads(child.output().splitlines()[-1])
    assert said["done"] == [number * number for number in range(COUNT) if number % 10 != 9]
    assert said["failed"] == list(range(9, COUNT, 10))
    lineage: dict[str, Any] = said["lineage"]
    assert lineage["emitted"] == EVENTS
    assert lineage["internal_errors"] == 0
    return lineage, str(child.errors.decode())


def test_on_a_full_disk_the_newest_events_are_dropped_and_counted(tmp_path: Path, port: int) -> None:
    lineage, log = work(port, tmp_path / "spool", "40000")
    dropped = lineage["dropped"]["disk_full"]
    assert lineage["dropped"] == {"disk_full": dropped}
    assert 0 < dropped < EVENTS
    assert lineage["spooled"] == EVENTS - dropped
    assert "disk_full" in log

    with collector(tmp_path / "data", port) as url:
        env = {"HEADWATER_URL": url, "HEADWATER_SPOOL": str(tmp_path / "spool")}
        Child("tests.promises.emitter", "heir", "1", "flush", env=env).output()
        assert httpx.get(f"{url}/api/counts").json()["events"] == lineage["spooled"] + 1
        assert httpx.get(f"{url}/api/deadletters").json()["letters"] == []


@pytest.fixture
def read_only(tmp_path: Path) -> Path:
    """A place for a spool that nobody can make there, root neither."""
    if os.geteuid() == 0:
        (tmp_path / "file").write_text("not a directory")
        return tmp_path / "file" / "spool"
    (tmp_path / "closed").mkdir(mode=0o500)
    return tmp_path / "closed" / "spool"


def test_without_a_place_for_the_spool_all_events_are_dropped_and_counted(read_only: Path, port: int) -> None:
    lineage, log = work(port, read_only)
    assert lineage["dropped"] == {"spool_unwritable": EVENTS}
    assert lineage["spooled"] == 0
    assert log.count("spool_unwritable") == 1
