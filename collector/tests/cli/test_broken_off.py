"""Commands that work through stores are killed, or interrupted from the keyboard, and begun again."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.seeds import FULL
from tests.support.worlds import projected

from headwater.collector.stores.sql import SqlLineageStore

from .conftest import TWO_DATABASES, Cli
from .events import event

EVENTS = 10_000 if FULL else 4_000
DEADLINE_S = 60


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first holds enough to be broken off in the middle, the second is empty."""
    place = tmp_path_factory.mktemp("databases")
    raw = [
        json.dumps(event(f"run {n}", job=f"job {n % 50}", inputs=[f"in {n % 90}"], outputs=[f"out {n % 70}@{n}"]))
        for n in range(EVENTS)
    ]

    async def write() -> None:
        for name, some in {"first": raw, "second": []}.items():
            store = SqlLineageStore(f"sqlite:///{place / name}.db")
            await store.open()
            for start in range(0, len(some), 500):
                await store.write([projected(one.encode()) for one in some[start : start + 500]])
            await store.close()

    asyncio.run(write())
    return place


@pytest.fixture
def large(databases: Path, tmp_path: Path, cli: Cli) -> Path:
    """A directory with both, and their configuration."""
    shutil.copytree(databases, tmp_path, dirs_exist_ok=True)
    (tmp_path / "headwater.toml").write_text(TWO_DATABASES)
    return tmp_path


def broken_off(command: list[str], where: Path, begun: Callable[[], bool], by: signal.Signals) -> tuple[int, str, str]:
    """Runs the command and signals it as soon as it has begun: exit status, output, errors."""
    process = subprocess.Popen(
        [sys.executable, "-m", "headwater.collector.cli", *command],
        cwd=where, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "COLUMNS": "200"},
    )  # fmt: skip
    deadline = time.monotonic() + DEADLINE_S
    while not begun():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.005)  # a core is for the command
    process.send_signal(by)
    out, err = process.communicate(timeout=DEADLINE_S)
    return process.returncode, out, err


def asked(path: Path, statement: str) -> object:
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30)
    try:
        row = connection.execute(statement).fetchone()
    finally:
        connection.close()
    return row and row[0]


def test_reconcile_and_ctrl_c(cli: Cli, large: Path) -> None:
    second = large / "second.db"
    status, out, err = broken_off(
        ["reconcile", "--grace", "0", "--json"],
        large,
        lambda: bool(asked(second, "SELECT 1 FROM document LIMIT 1")),
        signal.SIGINT,
    )
    assert status == 130, err
    report = json.loads(out)
    assert report["complete"] is False
    assert report["agree"] is False
    stored = asked(second, "SELECT count(*) FROM document")
    assert isinstance(stored, int)
    assert report["stores"]["second"]["repaired"] <= stored < EVENTS
    again = cli("reconcile", "--grace", "0", "--json").json
    assert again["agree"] is True
    assert again["stores"]["second"]["repaired"] == EVENTS - stored


def test_a_killed_rebuild_says_so_and_goes_on(cli: Cli, large: Path) -> None:
    first = large / "first.db"
    before = cli("fingerprint").out

    def begun() -> bool:
        marker = asked(first, "SELECT value FROM meta WHERE name = 'rebuild'")
        return marker is not None and json.loads(str(marker))[0][4] >= 500

    status, _, err = broken_off(["rebuild", "--store", "first", "--yes"], large, begun, signal.SIGKILL)
    assert status == -signal.SIGKILL, err
    assert "not whole" in cli("runs").err
    done = cli("rebuild", "--store", "first", "--yes", "--json")
    assert done.status == 0
    assert done.json["stores"]["first"]["resumed"] is True
    assert done.json["stores"]["first"]["folded"] <= EVENTS - 500
    after = cli("fingerprint")
    assert (after.out, after.err) == (before, "")
