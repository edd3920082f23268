"""The demo, run as ``make demo`` runs it, and then asked through the command line like any other directory."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from headwater.collector.cli import main

CHECKOUT = Path(__file__).parents[1]
HIVE = "hive://metastore:9083"


def environment(**more: str) -> dict[str, str]:
    """This process's, without settings of headwater's own."""
    return {name: value for name, value in os.environ.items() if not name.startswith("HEADWATER_")} | more


def demo(directory: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "examples.demo", "--dir", str(directory)]
    return subprocess.run(
        command, cwd=CHECKOUT, env=environment(SERVE="0"), capture_output=True, text=True, timeout=120
    )


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The demo's directory and what it printed."""
    directory = tmp_path_factory.mktemp("demo with a space") / "data"
    ended = demo(directory)
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stderr
    return directory, ended.stdout


def ask(told: tuple[Path, str], *command: str) -> Any:
    """``headwater COMMAND --json`` over the demo's directory, in this process: a new one each time takes a second."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(out), pytest.raises(SystemExit) as ended:
        main([*command, "--json", "--dir", str(told[0])])
    assert ended.value.code in (0, None)
    return json.loads(out.buffer.getvalue())  # type: ignore[attr-defined]


def test_from_a_shell(told: tuple[Path, str]) -> None:
    whole = [sys.executable, "-m", "headwater.collector.cli", "evidence", "shop", "revenue", "--json", "--dir", told[0]]
    ended = subprocess.run(whole, env=environment(), capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stderr) == (0, ""), ended.stderr
    assert json.loads(ended.stdout) == ask(told, "evidence", "shop", "revenue")


def test_evidence_of_the_published_revenue(told: tuple[Path, str]) -> None:
    published = (told[0] / "warehouse" / "revenue" / "CURRENT").read_text()
    evidence = ask(told, "evidence", "shop", "revenue", "--depth", "2")
    assert (evidence["generation"], evidence["status"], evidence["current"]) == (published, "published", True)
    assert published == "rev-0004"
    run = evidence["run"]
    assert (run["job"], run["state"], run["attempt"]) == (
        {"namespace": "shop", "name": "publish_revenue"},
        "COMPLETED",
        1,
    )
    assert run["logicalKey"] == "publish_revenue/2026-03-04"
    assert run["nominalStart"] == "2026-03-04T00:00:00Z"
    (orders,) = (told[0] / "warehouse" / "orders_eur").glob("2026-03-04.*.csv")
    pinned = {edge["dataset"]["name"]: (edge["version"], edge["pin"]) for edge in evidence["edges"]}
    assert pinned == {"orders_eur": (orders.stem, "declared"), "revenue": ("rev-0003", "declared")}
    assert {one["generation"] for one in evidence["sources"]} == {orders.stem, "rev-0003"}
    if (CHECKOUT / ".git").exists():
        assert run["code"]["type"] == "git"
        assert len(run["code"]["version"]) == 40


def test_the_proof_holds(told: tuple[Path, str]) -> None:
    directory, page = told
    part = page.split("Part 3", 1)[1]
    assert (part.count(" yes"), part.count(" NO")) == (5, 0)
    assert ask(told, "manifest", "verify", str(directory / "revenue.manifest.json"))["holds"] is True
    attestation, key = directory / "revenue.intoto.json", directory / "release.key.pub"
    verified = ask(told, "evidence", "verify", str(attestation), "--key", str(key))
    assert (verified["verified"], verified["store"]["holds"]) == (True, True)
    assert ask(told, "audit", "verify")["sql"]["intact"] is True


def test_the_failed_attempt_is_in_diagnostics_and_never_a_parent(told: tuple[Path, str]) -> None:
    evidence = ask(told, "evidence", "shop", "revenue")
    (candidate,) = evidence["diagnostics"]["candidates"]
    assert (candidate["version"], candidate["state"]) == ("rev-0002", "FAILED")
    assert "revenue of GB" in candidate["error"]["message"]
    for first_day in (path.stem for path in (told[0] / "warehouse" / "raw_orders").glob("2026-03-0[23].*.csv")):
        reached = ask(told, "impact", "shop", "raw_orders", "--generation", first_day)["reached"]
        revisions = {one["version"] for one in reached if one["dataset"]["name"] == "revenue"}
        assert "rev-0004" in revisions
        assert "rev-0002" not in revisions
    assert ask(told, "impact", "shop", "revenue", "--generation", "rev-0002")["reached"] == []


def test_the_retry_read_a_changed_input(told: tuple[Path, str]) -> None:
    evidence = ask(told, "evidence", "shop", "revenue", "--generation", "rev-0003")
    run = ask(told, "run", evidence["run"]["runId"])
    logical = run["logicalRun"]
    assert [one["state"] for one in logical["attempts"]] == ["FAILED", "COMPLETED"]
    assert logical["winner"] == run["runId"]
    assert run["attempt"] == 2
    (changed,) = logical["changed"]
    assert changed["dataset"]["name"] == "orders_eur"
    first, second = (changed["versions"][one["runId"]] for one in logical["attempts"])
    assert first != second


def test_the_late_event_counts_where_it_belongs(told: tuple[Path, str]) -> None:
    """The last day's rates are what the last day's join read, though their COMPLETE came after everything else."""
    (orders,) = (told[0] / "warehouse" / "orders_eur").glob("2026-03-04.*.csv")
    (rates,) = (told[0] / "warehouse" / "exchange_rates").glob("2026-03-04.*.csv")
    edges = ask(told, "evidence", "shop", "orders_eur", "--generation", orders.stem)["edges"]
    pinned = {edge["dataset"]["name"]: (edge["version"], edge["pin"]) for edge in edges}
    assert pinned["exchange_rates"] == (rates.stem, "inferred")


def test_steps_are_child_runs(told: tuple[Path, str]) -> None:
    runs = ask(told, "runs", "--job", "job:shop:publish_revenue")["runs"]
    assert len(runs) == 4
    parents = [ask(told, "run", run["runId"])["parent"]["job"]["name"] for run in runs]
    assert set(parents) == {"daily_revenue"}


def test_a_spark_column_is_walked_back_to_its_sources(told: tuple[Path, str]) -> None:
    walk = ask(told, "columns", HIVE, "shop.revenue_by_country", "revenue_eur")
    assert walk["dataset"] == {"namespace": "file", "name": "/lake/revenue_by_country"}
    direct = {
        (one["distance"], f"{one['dataset']['name']}.{one['field']}", one["subtype"])
        for one in walk["reached"]
        if one["type"] == "DIRECT"
    }
    assert {
        (1, "/lake/orders_eur.amount_eur", "AGGREGATION"),
        (2, "/lake/raw/orders.amount", "TRANSFORMATION"),
        (2, "/lake/raw/rates.eur", "TRANSFORMATION"),
    } <= direct
    run = ask(told, "runs", "--job", "job:spark:revenue_by_country.execute_insert.orders_eur")["runs"][0]
    assert ask(told, "run", run["runId"])["parent"]["job"]["name"] == "revenue_by_country"


def test_the_pages_say_it(told: tuple[Path, str]) -> None:
    page = told[1]
    for said in (
        "Part 1",
        "rev-0004",
        "published",
        "declared",
        "inferred",
        "rev-0002",
        "Changed input",
        "Part 2",
        "amount_eur",
    ):
        assert said in page, said


def test_again_in_the_same_directory_but_never_in_somebody_elses(told: tuple[Path, str], tmp_path: Path) -> None:
    before = ask(told, "evidence", "shop", "revenue")["run"]["runId"]
    assert demo(told[0]).returncode == 0
    assert ask(told, "evidence", "shop", "revenue")["run"]["runId"] != before
    (tmp_path / "letter").write_text("mine")
    refused = demo(tmp_path)
    assert refused.returncode == 1
    assert str(tmp_path) in refused.stderr
    assert (tmp_path / "letter").read_text() == "mine"
