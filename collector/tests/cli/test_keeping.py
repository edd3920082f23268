"""``audit seal``, ``audit verify``, ``audit head``, ``retention`` and ``erase``."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from .conftest import Cli


@pytest.fixture
def copy(told: Path, tmp_path: Path) -> Path:
    """The story, to be changed."""
    return Path(shutil.copytree(told, tmp_path / "copy"))


def run_sql(directory: Path, statement: str, *values: object) -> None:
    with closing(sqlite3.connect(directory / "headwater.db")) as database, database:
        assert database.execute(statement, values).rowcount


def test_a_tampered_event_is_named(cli: Cli, copy: Path) -> None:
    assert cli("audit", "head", "--dir", copy).status == 1
    sealed = cli("audit", "seal", "--grace", 0, "--dir", copy)
    assert sealed.status == 0, sealed.err
    assert sealed.out.startswith("sql: 8 events sealed; head 1:")
    head = cli("audit", "head", "--dir", copy).out.split()[1]
    good = cli("audit", "verify", "--dir", copy, "--head", head)
    assert (good.status, "intact" in good.out) == (0, True)
    assert "no --head was given" in cli("audit", "verify", "--dir", copy).out
    run_sql(copy, "UPDATE document SET raw = CAST(replace(raw, 'too little', 'plenty of') AS BLOB) WHERE seq = 5")
    found = cli("audit", "verify", "--dir", copy, "--json")
    assert found.status == 1
    (finding,) = found.json["sql"]["findings"]
    assert (finding["kind"], finding["seal"]) == ("altered", 1)
    assert f"event {finding['eventId']} is not what was sealed" in cli("audit", "verify", "--dir", copy).out


def test_wrong_heads_and_stores(cli: Cli, copy: Path) -> None:
    assert cli("audit", "verify", "--dir", copy, "--head", "nonsense").status == 2
    assert cli("audit", "seal", "--dir", copy, "--store", "nothing").status == 2
    assert cli("audit", "verify", "--dir", copy, "--head", f"7:{'0' * 64}").status == 1, "there is no seal 7"


def test_a_database_of_before_seals_can_be_read(cli: Cli, copy: Path) -> None:
    with closing(sqlite3.connect(copy / "headwater.db")) as database, database:
        database.execute("DROP TABLE audit_seal")
    assert cli("audit", "head", "--dir", copy).status == 1
    assert cli("audit", "verify", "--dir", copy, "--json").json["sql"]["unsealed"] == 8
    assert cli("audit", "seal", "--grace", 0, "--dir", copy).status == 0


def test_seals_survive_a_rebuild(cli: Cli, copy: Path) -> None:
    cli("audit", "seal", "--grace", 0, "--dir", copy)
    head = cli("audit", "head", "--dir", copy).out.split()[1]
    assert cli("rebuild", "--yes", "--dir", copy).status == 0
    assert cli("audit", "verify", "--dir", copy, "--head", head).status == 0
    assert cli("reset", "--yes", "--dir", copy).status == 0
    assert cli("audit", "head", "--dir", copy).status == 1


def test_retention_says_what_would_go_and_what_is_kept(cli: Cli, copy: Path) -> None:
    before = cli("fingerprint", "--dir", copy).out
    ended = cli("retention", "--runs", "1h", "--dry-run", "--dir", copy, "--json")
    assert ended.status == 0, ended.err
    assert ended.json["dryRun"] is True
    assert ended.json["kept"]["runs"]["current"] == 2
    assert cli("fingerprint", "--dir", copy).out == before
    assert "would go: " in cli("retention", "--runs", "1h", "--dry-run", "--dir", copy).out


@pytest.mark.parametrize(
    "options", [[], ["--runs", "soon"], ["--runs", "1d", "--documents", "2d"], ["--runs", "1d", "--max-runs", "0"]]
)
def test_wrong_ages(cli: Cli, copy: Path, options: list[str]) -> None:
    assert cli("retention", *options, "--dir", copy).status == 2


def test_erasing_asks_first(cli: Cli, copy: Path) -> None:
    asked = cli("erase", "--text", "too little revenue", "--dir", copy)
    assert (asked.status, asked.out) == (0, "1 of 8 stored events hold it; say --yes to make them skeletons\n")
    done = cli("erase", "--text", "too little revenue", "--dir", copy, "--yes")
    assert done.status == 0, done.err
    assert done.out == "1 of 8 stored events are skeletons now\nthe graph was made anew from the documents\n"
    assert not (copy / "erase.secret").exists()
    assert "too little" not in cli("evidence", "shop", "revenue", "--json", "--dir", copy).out
    assert cli("evidence", "shop", "revenue", "--dir", copy).status == 0


@pytest.mark.parametrize("options", [[], ["--namespace", "a", "--text", "bcd"], ["--text", "ab"]])
def test_wrong_erasures(cli: Cli, copy: Path, options: list[str]) -> None:
    assert cli("erase", *options, "--dir", copy).status == 2


@pytest.mark.parametrize("command", ["seal", "verify", "head"])
def test_help(cli: Cli, command: str) -> None:
    assert f"Example: headwater audit {command}" in " ".join(cli("audit", command, "--help").out.split())
