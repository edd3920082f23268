"""``headwater up``, and everything that works beside it: reading its directory, asking its API, sending to either."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from .conftest import Cli, story
from .events import event, lines, run_id
from .processes import Command


class Running(NamedTuple):
    """A collector in a process of its own."""

    directory: Path
    url: str
    pid: int


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """``headwater up`` on a free port, with the story sent to it over HTTP."""
    directory = tmp_path_factory.mktemp("up") / "data"
    command = [sys.executable, "-m", "headwater.collector.cli", "up", "--port", "0", "--dir", str(directory)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=directory.parent) as process:
        assert process.stdout is not None
        url = ""
        while not url and (line := process.stdout.readline()):
            found = re.search(r"http://127\.0\.0\.1:\d+", line)
            url = found.group() if found else ""
        (directory.parent / "story").write_bytes(story())
        send = [sys.executable, "-m", "headwater.collector.cli", "emit", "story", "--url", url]
        subprocess.run(send, check=True, capture_output=True, cwd=directory.parent)
        yield Running(directory, url, process.pid)
        os.kill(process.pid, signal.SIGINT)
        assert process.wait(timeout=30) == 0


@pytest.mark.parametrize(
    "command",
    [
        ["evidence", "shop", "revenue", "--depth", "3"],
        ["evidence", "shop", "revenue", "-g", "rev-1"],
        *(["evidence", "shop", "revenue", "--format", each] for each in ("manifest", "intoto", "prov")),
        ["lineage", "dataset:shop:revenue", "--columns"],
        ["lineage", "shop", "publish"],
        ["runs", "--status", "FAILED", "--job", "job:shop:publish", "--since", "2026-03-01"],
        ["runs", "--limit", "2"],
        ["run", run_id("retry")],
        ["impact", "shop", "orders", "-g", "snap-1"],
        ["columns", "shop", "revenue", "eur"],
        ["fingerprint"],
    ],
)
def test_directory_and_api_give_the_same_answer(cli: Cli, up: Running, told: Path, command: list[str]) -> None:
    beside = cli(*command, "--json", "--dir", up.directory)
    asked = cli(*command, "--json", "--api", up.url)
    assert (beside.status, beside.err) == (0, "")
    assert (asked.status, asked.err) == (0, "")
    assert beside.json == asked.json == cli(*command, "--json", "--dir", told).json
    assert cli(*command, "--api", up.url).out == cli(*command, "--dir", up.directory).out


@pytest.mark.parametrize(
    ("command", "status"),
    [
        (["evidence", "shop", "nothing"], 1),
        (["lineage", "dataset:shop:nothing"], 1),
        (["run", "0190a1b2-0000-7000-8000-000000000000"], 1),
        (["runs", "--after", "nonsense"], 2),
    ],
)
def test_the_api_gives_the_same_status(cli: Cli, up: Running, command: list[str], status: int) -> None:
    ended = cli(*command, "--json", "--api", up.url)
    assert (ended.status, ended.out) == (status, "")
    assert ended.err


def test_the_environment_names_the_api(cli: Cli, up: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_API", up.url)
    assert cli("runs", "--json").json["runs"]


def test_emit_into_the_directory_of_a_running_collector(cli: Cli, up: Running, tmp_path: Path) -> None:
    (tmp_path / "more").write_bytes(lines(event("beside", at=30, job="other")))
    ended = cli("emit", tmp_path / "more", "--dir", up.directory)
    assert (ended.status, ended.err) == (0, "")
    assert "where a collector runs" in ended.out
    assert cli("run", run_id("beside"), "--api", up.url, "--json").json["state"] == "COMPLETED"


def test_emit_over_http_tells_what_the_server_refuses(cli: Cli, up: Running, tmp_path: Path) -> None:
    (tmp_path / "more").write_bytes(lines(event("http", at=31, job="other"), "{oops"))
    ended = cli("emit", tmp_path / "more", "--url", up.url, "--json")
    assert ended.status == 1
    assert (ended.json["accepted"], ended.json["refused"]) == (1, 1)
    assert cli("run", run_id("http"), "--dir", up.directory, "--json").json["state"] == "COMPLETED"


def test_dead_letters_and_doctor_beside_it(cli: Cli, up: Running) -> None:
    assert cli("dlq", "list", "--json", "--dir", up.directory).json["letters"] == []
    assert cli("doctor", "--api", up.url).status == 0
    port = up.url.rpartition(":")[2]
    checks = cli("doctor", "--dir", up.directory, "--port", port, "--json").json["checks"]
    assert next(check for check in checks if check["check"] == f"port {port}")["ok"]


def test_a_second_collector_is_refused(cli: Cli, up: Running) -> None:
    ended = cli("up", "--dir", up.directory, "--port", 0)
    assert ended.status == 2
    assert str(up.pid) in ended.err


def test_a_port_in_use_is_told(cli: Cli, up: Running, tmp_path: Path) -> None:
    ended = cli("up", "--dir", tmp_path / "other", "--port", up.url.rpartition(":")[2])
    assert ended.status == 2
    assert "--port" in ended.err


@pytest.mark.parametrize("elsewhere", [False, True])
def test_the_command_that_it_names_finds_what_it_stores(
    cli: Cli, start: Callable[..., Command], tmp_path: Path, elsewhere: bool
) -> None:
    stored = {"HEADWATER_LINEAGE__STORE__SQL__URL": f"sqlite:///{tmp_path}/elsewhere.db"} if elsewhere else {}
    process = start("up", "--port", "0", "--dir", "data", **stored)
    named = process.await_output("headwater runs .*").split()[1:]
    (tmp_path / "story").write_bytes(story())
    assert cli("emit", tmp_path / "story", "--dir", tmp_path / "data").status == 0
    ended = cli(*named, "--json")
    assert (ended.status, ended.err) == (0, "")
    assert {run["runId"] for run in ended.json["runs"]} >= {run_id("first"), run_id("retry")}
    assert process.terminate() == 0
