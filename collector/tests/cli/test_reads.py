"""Every reading command: what it answers, its JSON, and how it ends when there is nothing."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from .conftest import Cli
from .events import run_id


def test_evidence_of_the_current_generation(cli: Cli, told: Path) -> None:
    answer = cli("evidence", "shop", "revenue", "--dir", told, "--json").json
    assert (answer["generation"], answer["status"], answer["current"]) == ("rev-3", "published", True)
    assert (answer["run"]["runId"], answer["run"]["attempt"]) == (run_id("retry"), 2)
    assert [(edge["version"], edge["pin"]) for edge in answer["edges"]] == [("snap-2", "declared")]
    assert [one["version"] for one in answer["diagnostics"]["candidates"]] == ["rev-2"]
    assert cli("evidence", "shop", "revenue", "--dir", told, "--format", "json").json == answer
    page = cli("evidence", "shop", "revenue", "--dir", told).out
    for said in ("rev-3", "published", run_id("retry"), "snap-2", "2 of 2", "rev-2", "too little revenue"):
        assert said in page, said


def test_evidence_of_an_older_generation_and_of_the_inputs(cli: Cli, told: Path) -> None:
    answer = cli("evidence", "shop", "revenue", "-g", "rev-1", "--depth", 2, "--dir", told, "--json").json
    assert (answer["generation"], answer["current"]) == ("rev-1", False)
    assert [(one["dataset"]["name"], one["generation"]) for one in answer["sources"]] == [("orders", "snap-1")]


def test_runs_and_their_filters(cli: Cli, told: Path) -> None:
    answer = cli("runs", "--dir", told, "--json").json
    assert [run["runId"] for run in answer["runs"]] == [
        run_id(run) for run in ("retry", "load 2", "failed", "first", "load 1")
    ]
    failed = cli("runs", "--status", "failed", "--job", "job:shop:publish", "--dir", told, "--json").json
    assert [run["runId"] for run in failed["runs"]] == [run_id("failed")]
    late = cli("runs", "--since", "2026-03-02T02:06", "--dir", told, "--json").json
    assert len(late["runs"]) == 2
    page = cli("runs", "--limit", 2, "--dir", told, "--json").json
    rest = cli("runs", "--after", page["next"], "--dir", told, "--json").json
    assert page["truncated"]
    assert [run["runId"] for run in page["runs"] + rest["runs"]] == [run["runId"] for run in answer["runs"]]
    assert run_id("failed") in cli("runs", "--dir", told).out


def test_one_run(cli: Cli, told: Path) -> None:
    answer = cli("run", run_id("retry"), "--dir", told, "--json").json
    assert answer["state"] == "COMPLETED"
    assert [run["runId"] for run in answer["logicalRun"]["attempts"]] == [run_id("failed"), run_id("retry")]
    assert answer["logicalRun"]["winner"] == run_id("retry")
    page = cli("run", run_id("retry"), "--dir", told).out
    assert "attempt 1 read snap-1, attempt 2 read snap-2" in page
    assert "FAIL" in cli("run", run_id("failed"), "--dir", told).out


def test_lineage_of_a_dataset_by_either_spelling(cli: Cli, told: Path) -> None:
    answer = cli("lineage", "dataset:shop:revenue", "--dir", told, "--json").json
    assert {(node["type"], node["name"]) for node in answer["nodes"]} == {
        *(("DATASET", name) for name in ("revenue", "orders")),
        *(("JOB", name) for name in ("publish", "load")),
    }
    assert cli("lineage", "shop", "revenue", "--dir", told, "--json").json == answer
    near = cli("lineage", "job:shop:load", "--up", 0, "--down", 0, "--dir", told, "--json").json
    assert [node["name"] for node in near["nodes"] if node["type"] == "JOB"] == ["load"]
    columns = cli("lineage", "shop", "revenue", "--columns", "--dir", told, "--json").json["columns"]
    assert columns["dataset:shop:revenue"]["eur"][0]["field"] == "amount"
    tree = cli("lineage", "shop", "revenue", "--columns", "--dir", told).out
    assert tree.index("revenue") < tree.index("comes from") < tree.index("publish") < tree.index("load")
    assert "orders.amount" in tree


def test_columns(cli: Cli, told: Path) -> None:
    assert cli("columns", "shop", "revenue", "--dir", told, "--json").json["columns"]["eur"][0]["field"] == "amount"
    walk = cli("columns", "shop", "revenue", "eur", "--dir", told, "--json").json
    assert [(one["field"], one["version"], one["distance"]) for one in walk["reached"]] == [("amount", "snap-2", 1)]
    assert "orders.amount" in cli("columns", "shop", "revenue", "eur", "--dir", told).out
    ended = cli("columns", "shop", "revenue", "usd", "--dir", told)
    assert (ended.status, ended.out) == (1, "")
    assert "eur" in ended.err


def test_impact(cli: Cli, told: Path) -> None:
    answer = cli("impact", "shop", "orders", "--generation", "snap-1", "--dir", told, "--json").json
    assert [(one["version"], one["distance"]) for one in answer["reached"]] == [("rev-1", 1)]
    rows = list(csv.reader(io.StringIO(cli("impact", "shop", "orders", "-g", "snap-1", "--csv", "--dir", told).out)))
    assert rows[1] == ["1", "shop", "revenue", "rev-1", run_id("first"), "false", "false"]
    assert "rev-3" in cli("impact", "shop", "orders", "--dir", told).out


def test_fingerprint_and_stores(cli: Cli, told: Path) -> None:
    value = cli("fingerprint", "--dir", told).out.strip()
    assert len(value) == 64
    assert cli("fingerprint", "--dir", told, "--json").json == {"fingerprint": value}
    stores = cli("stores", "--json").json["stores"]
    assert {"sql", "logging"} <= {store["name"] for store in stores}
    assert "headwater-collector" in cli("stores").out


@pytest.mark.parametrize(
    "command",
    [
        ["evidence", "shop", "nothing"],
        ["evidence", "shop", "revenue", "-g", "rev-9"],
        ["impact", "shop", "nothing"],
        ["lineage", "dataset:shop:nothing"],
        ["lineage", "job:shop:revenue"],
        ["columns", "shop", "nothing"],
        ["run", "0190a1b2-0000-7000-8000-000000000000"],
        ["run", "no uuid"],
        ["runs", "--job", "job:shop:nothing"],
    ],
)
def test_unknown_ends_with_1_and_says_what_to_try(cli: Cli, told: Path, command: list[str]) -> None:
    ended = cli(*command, "--dir", told, "--json")
    assert (ended.status, ended.out) == (1, "")
    assert "`headwater" in ended.err


@pytest.mark.parametrize(
    "command",
    [
        ["evidence", "shop"],
        ["evidence", "shop", "revenue", "--format", "pdf"],
        ["evidence", "shop", "revenue", "--depth", "0"],
        ["runs", "--status", "DONE"],
        ["runs", "--since", "yesterday"],
        ["runs", "--after", "nonsense"],
        ["lineage", "revenue"],
        ["lineage", "a", "b", "c"],
        ["impact", "shop", "revenue", "--csv", "--json"],
        ["runs", "--api", "http://127.0.0.1:1"],
        ["nonsense"],
    ],
)
def test_wrong_usage_ends_with_2(cli: Cli, told: Path, command: list[str]) -> None:
    ended = cli(*command, "--dir", told)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err


def test_a_directory_without_data_is_named_with_the_remedy(cli: Cli, tmp_path: Path) -> None:
    ended = cli("runs", "--dir", tmp_path / "nowhere")
    assert (ended.status, ended.out) == (2, "")
    assert str(tmp_path / "nowhere") in ended.err
    assert "headwater up" in ended.err
    assert not (tmp_path / "nowhere").exists()


def test_the_environment_names_the_directory(cli: Cli, told: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_DIR", str(told))
    assert cli("runs", "--json").json["runs"]
    assert cli("runs", "--dir", told / "other").status == 2


def test_configuration_names_the_store(cli: Cli, told: Path, tmp_path: Path) -> None:
    (tmp_path / "headwater.toml").write_text(f'[lineage.store.sql]\nurl = "sqlite:///{told}/headwater.db"\n')
    assert len(cli("runs", "--json").json["runs"]) == 5


def test_a_server_that_is_not_there_ends_with_3(cli: Cli) -> None:
    ended = cli("evidence", "shop", "revenue", "--api", "http://127.0.0.1:1", "--json")
    assert (ended.status, ended.out) == (3, "")
    assert "127.0.0.1:1" in ended.err


def test_a_wrong_address_ends_with_2(cli: Cli) -> None:
    assert cli("runs", "--api", "ftp://host").status == 2
    assert cli("runs", "--api", "http://host:port").status == 2
