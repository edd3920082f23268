"""``headwater doctor``: one line a check, the remedy, and the worst verdict as exit status."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest

from .conftest import Cli


def checks(answer: Any) -> dict[str, Any]:
    return {check["check"]: check for check in answer["checks"]}


@pytest.fixture
def port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        number: int = probe.getsockname()[1]
    return number


def test_all_is_well(cli: Cli, told: Path, port: int) -> None:
    ended = cli("doctor", "--dir", told, "--port", port, "--json")
    found = checks(ended.json)
    assert ended.status == 0, ended.out
    assert all(check["ok"] for check in found.values())
    assert {"configuration", "directory", "disk", "log", "sqlite", "json", "store sql", "spool", f"port {port}"} == set(
        found
    )
    assert "0 not collected" in found["log"]["seen"]
    assert "WAL" in found["sqlite"]["seen"]
    page = cli("doctor", "--dir", told, "--port", port).out
    assert len(page.splitlines()) == 1 + len(found)


def test_a_directory_that_is_not_there_is_no_fault_and_stays_so(cli: Cli, tmp_path: Path, port: int) -> None:
    assert cli("doctor", "--dir", tmp_path / "new" / "place", "--port", port).status == 0
    assert not (tmp_path / "new").exists()


def test_a_wrong_setting_is_told_with_its_remedy(cli: Cli, tmp_path: Path, port: int) -> None:
    (tmp_path / "headwater.toml").write_text("[lineage.store]\nbackend = 'oracle'\n")
    ended = cli("doctor", "--port", port, "--json", "--dir", "data")
    assert ended.status == 2
    assert "installed are" in checks(ended.json)["store oracle"]["remedy"]
    (tmp_path / "headwater.toml").write_text("[lineage]\ncollector_topik = 'x'\n")
    ended = cli("doctor", "--port", port, "--json", "--dir", "data")
    assert ended.status == 2
    assert "collector_topic" in checks(ended.json)["configuration"]["remedy"]


def test_a_database_that_is_none(cli: Cli, tmp_path: Path, port: int) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "headwater.db").write_bytes(b"no database at all" * 100)
    ended = cli("doctor", "--dir", tmp_path / "data", "--port", port, "--json")
    assert ended.status == 2
    assert not checks(ended.json)["sqlite"]["ok"]


def test_a_port_in_use_and_a_server_that_is_away(cli: Cli, told: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        number = taken.getsockname()[1]
        ended = cli("doctor", "--dir", told, "--port", number, "--json")
    assert ended.status == 3
    assert "--port" in checks(ended.json)[f"port {number}"]["remedy"]
    assert cli("doctor", "--api", f"http://127.0.0.1:{number}").status == 3


def test_what_waits_is_no_fault_but_told(cli: Cli, tmp_path: Path, port: int) -> None:
    (tmp_path / "events").write_text('{"eventTime":"2026-01-01","producer":"p","job":{"namespace":"n","name":"j"}}')
    cli("emit", tmp_path / "events", "--url", f"file://{tmp_path}/data/log")
    lane = tmp_path / "spool" / "lane"
    lane.mkdir(parents=True)
    (lane / "00000001.seg").write_bytes(b"12345")
    ended = cli("doctor", "--dir", tmp_path / "data", "--port", port, "--json")
    assert ended.status == 0, ended.out
    assert "1 not collected" in checks(ended.json)["log"]["seen"]
    assert "headwater up" in checks(ended.json)["log"]["remedy"]
    assert "1 of them ended" in checks(ended.json)["spool"]["seen"]
