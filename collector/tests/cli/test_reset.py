"""``headwater reset``."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from .conftest import Cli


def test_it_refuses_and_names_what_it_would_delete(cli: Cli, told: Path) -> None:
    before = cli("fingerprint", "--dir", told).out
    refused = cli("reset", "--dir", told)
    assert (refused.status, refused.out) == (2, "")
    assert "sql: 8 events, 5 runs" in refused.err
    assert "--yes" in refused.err
    assert cli("fingerprint", "--dir", told).out == before


def test_it_deletes_everything_and_can_be_used_again(cli: Cli, told: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(told, tmp_path / "copy"))
    done = cli("reset", "--dir", copy, "--yes", "--json")
    assert done.status == 0
    assert done.json["deleted"][0]["events"] == 8
    assert cli("runs", "--dir", copy, "--json").json["runs"] == []
    assert cli("fingerprint", "--dir", copy).out.strip() == "0" * 64
    assert cli("sync", "--from", f"sqlite:///{told / 'headwater.db'}", "--to", "sql", "--dir", copy).status == 0
    assert cli("fingerprint", "--dir", copy).out == cli("fingerprint", "--dir", told).out


def test_what_cannot_be_emptied_is_said(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_STORE", "logging")
    done = cli("reset", "--yes")
    assert (done.status, done.out) == (0, "logging: cannot be emptied from here, left as it is\n")
