"""``headwater emit``: everywhere it can send, what it counts, and how it ends."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from headwater.shared.log.local import LocalLog
from headwater.shared.names import DEFAULT_TOPIC

from .conftest import Cli
from .events import event, facet, lines


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "events.ndjson"
    path.write_bytes(
        lines(event("a", outputs=["x@1"]), "{oops", event("b"), event("c", facets={"parent": facet(run=1)}))
    )
    return path


def values(log: Path) -> list[bytes]:
    async def read() -> list[bytes]:
        local = LocalLog(log)
        await local.open()
        try:
            return [record.value for record in await local.read(DEFAULT_TOPIC, 0, max_records=100_000)]
        finally:
            await local.close()

    return asyncio.run(read())


def test_into_a_directory_it_can_be_read_at_once(cli: Cli, file: Path, tmp_path: Path) -> None:
    ended = cli("emit", file, "--dir", tmp_path / "data")
    assert ended.status == 1
    assert f"{file}:2: refused (not_json)" in ended.err
    assert "3 sent to" in ended.out
    assert "3 accepted, 1 refused" in ended.out
    assert "1 accepted with problems" in ended.out
    assert len(cli("runs", "--dir", tmp_path / "data", "--json").json["runs"]) == 3


def test_the_count_as_json(cli: Cli, file: Path, tmp_path: Path) -> None:
    answer = cli("emit", file, "--dir", tmp_path / "data", "--json").json
    refusal = answer.pop("refusals")
    assert [(one["file"], one["line"], one["reason"]) for one in refusal] == [(str(file), 2, "not_json")]
    assert answer == {
        "to": str(tmp_path / "data"),
        "read": 4,
        "sent": 3,
        "accepted": 3,
        "withProblems": 1,
        "refused": 1,
        "refusedByReason": {"not_json": 1},
        "interrupted": False,
        "interruptedAfter": None,
    }


def test_sending_again_changes_nothing(cli: Cli, file: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    cli("emit", file, "--dir", data)
    before = cli("fingerprint", "--dir", data).out
    cli("emit", file, file, "--dir", data)
    assert cli("fingerprint", "--dir", data).out == before


def test_into_a_local_log_byte_for_byte(cli: Cli, tmp_path: Path) -> None:
    events = [event(f"run {at}") for at in range(1203)]
    (tmp_path / "all.json").write_text(json.dumps(events, indent=1))
    (tmp_path / "more.gz").write_bytes(gzip.compress(lines(event("more"))))
    ended = cli("emit", tmp_path / "all.json", tmp_path / "more.gz", "--url", f"file://{tmp_path}/my%20log")
    assert (ended.status, ended.err) == (0, "")
    found = values(tmp_path / "my log")
    assert [json.loads(value) for value in found] == [*events, event("more")]
    assert found[0] == json.dumps(events[0], indent=1).replace("\n", "\n ").encode()


def test_standard_input(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "headwater.collector.cli", "emit", "-", "--url", f"file://{tmp_path}/log"]
    ended = subprocess.run(command, input=lines(event("a"), event("b")), capture_output=True, check=True)
    assert b"2 sent" in ended.stdout
    assert len(values(tmp_path / "log")) == 2


@pytest.mark.parametrize("url", ["amqp://host:5672/topic", "file://elsewhere/log", "nonsense", "http://"])
def test_a_url_that_it_cannot_send_to_ends_with_2(cli: Cli, file: Path, url: str) -> None:
    ended = cli("emit", file, "--url", url)
    assert ended.status == 2
    assert ended.err


def test_a_missing_file_ends_with_2_and_nothing_is_sent(cli: Cli, file: Path, tmp_path: Path) -> None:
    assert cli("emit", file, tmp_path / "missing", "--dir", tmp_path / "data").status == 2
    assert not (tmp_path / "data").exists()


def test_interrupted_it_keeps_what_it_sent_and_says_where_it_stopped(tmp_path: Path) -> None:
    """Ctrl-C while it waits for more on standard input, after one whole batch and a part of the next."""
    command = [
        sys.executable,
        "-m",
        "headwater.collector.cli",
        "emit",
        "-",
        "--json",
        "--url",
        f"file://{tmp_path}/log",
    ]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(lines(*(event(f"run {at}") for at in range(620))))
        process.stdin.flush()
        _wait_for(tmp_path / "log" / DEFAULT_TOPIC)
        while len(values(tmp_path / "log")) < 500:
            time.sleep(0.02)
        os.kill(process.pid, signal.SIGINT)
        answer = json.loads(process.stdout.read())
        told = process.stderr.read().decode()
        assert process.wait() == 130
    assert answer["interrupted"]
    assert answer["accepted"] == len(values(tmp_path / "log")) == 500
    assert answer["interruptedAfter"] == {"file": "-", "line": 500}
    assert "-:500" in told


def _wait_for(path: Path) -> None:
    while not path.exists():
        time.sleep(0.02)
