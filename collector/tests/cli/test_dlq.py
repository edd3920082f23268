"""``headwater dlq``: list, show, replay, purge."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from headwater.collector.embedded import Embedded

from .conftest import Cli
from .events import event, lines

POISON = [b"{oops", b'{"eventTime": 1}\xff', b"[]"]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A directory whose log met some poison."""

    async def collect() -> None:
        async with Embedded(tmp_path / "data") as embedded:
            await embedded.ingest([lines(event("good")), *POISON])

    asyncio.run(collect())
    return tmp_path / "data"


def test_list_and_show(cli: Cli, data: Path) -> None:
    answer = cli("dlq", "list", "--dir", data, "--json").json
    assert [letter["reason"] for letter in answer["letters"]] == [
        "not_json",
        "not_utf8",
        answer["letters"][2]["reason"],
    ]
    assert not answer["truncated"]
    first = answer["letters"][0]["id"]
    assert cli("dlq", "show", first, "--dir", data, "--json").json["value"] == "{oops"
    assert "not_json" in cli("dlq", "show", first, "--dir", data).out
    assert "not_utf8" in cli("dlq", "list", "--dir", data).out
    page = cli("dlq", "list", "--limit", 2, "--dir", data, "--json").json
    assert page["truncated"]
    rest = cli("dlq", "list", "--after", page["letters"][-1]["id"], "--dir", data, "--json").json
    assert page["letters"] + rest["letters"] == answer["letters"]
    assert len(cli("dlq", "list", "--reason", "not_utf8", "--dir", data, "--json").json["letters"]) == 1


def test_raw_bytes(data: Path) -> None:
    command = [sys.executable, "-m", "headwater.collector.cli", "dlq", "show", "1", "--raw", "--dir", data]
    assert subprocess.run(command, capture_output=True, check=True).stdout == POISON[1]


def test_replay_and_purge(cli: Cli, data: Path) -> None:
    ids = [letter["id"] for letter in cli("dlq", "list", "--dir", data, "--json").json["letters"]]
    assert cli("dlq", "replay", "--all", "--dry-run", "--dir", data, "--json").json == {"replayed": 0, "matched": 3}
    assert cli("dlq", "replay", ids[0], "--dir", data, "--json").json == {"replayed": 1, "matched": 1}
    assert cli("dlq", "purge", "--reason", "not_utf8", "--yes", "--dir", data, "--json").json == {
        "purged": 1,
        "matched": 1,
    }
    assert len(cli("dlq", "list", "--dir", data, "--json").json["letters"]) == 1
    states = [letter["state"] for letter in cli("dlq", "list", "--resolved", "--dir", data, "--json").json["letters"]]
    assert states == ["replayed", "purged", "open"]


def test_wrong_usage_and_nothing_there(cli: Cli, data: Path, tmp_path: Path) -> None:
    assert cli("dlq", "replay", "--dir", data).status == 2
    assert cli("dlq", "purge", "--dir", data).status == 2
    assert cli("dlq", "list", "--since", "noon", "--dir", data).status == 2
    assert cli("dlq", "show", 99, "--dir", data).status == 1
    ended = cli("dlq", "list", "--dir", tmp_path / "nowhere")
    assert ended.status == 2
    assert "nowhere" in ended.err


def test_purging_by_a_condition_is_confirmed(cli: Cli, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open("/dev/null") as nothing:
        monkeypatch.setattr("sys.stdin", nothing)
        ended = cli("dlq", "purge", "--all", "--dir", data)
    assert ended.status == 2
    assert "--yes" in ended.err
    assert len(cli("dlq", "list", "--dir", data, "--json").json["letters"]) == 3
