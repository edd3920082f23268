"""``headwater mark``, ``headwater stale`` and ``--as-of``: said by events, seen by the reading commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Cli, story
from .events import event, facet, lines, run_id

LATER = "2026-03-02T03:00:00Z"


@pytest.fixture
def told_here(cli: Cli, tmp_path: Path) -> Path:
    """A directory of its own that holds the story, and a run that never ends."""
    told = tmp_path / "told.ndjson"
    told.write_bytes(story() + lines(event("hanging", "START", at=10, job="publish", outputs=["revenue@rev-4"])))
    assert cli("emit", told, "--dir", tmp_path / "data").status == 0
    return tmp_path / "data"


def test_a_withdrawal_rolls_back_and_is_taken_back(cli: Cli, told_here: Path) -> None:
    about = ("shop", "revenue", "--dir", told_here)
    said = cli("mark", "withdraw", "shop", "revenue", "rev-3", "--reason", "wrong currency", "--author", "ann",
               "--at", LATER, "--dir", told_here, "--json")  # fmt: skip
    assert said.status == 0, said.err
    facets = said.json["event"]["dataset"]["facets"]
    assert facets["headwater_withdrawal"]["generations"] == ["rev-3"]
    assert facets["headwater_annotation"]["asOf"] == "2026-03-02T02:10:00Z"
    assert cli("evidence", *about, "--json").json["generation"] == "rev-1"
    withdrawn = cli("evidence", *about, "-g", "rev-3", "--json").json
    assert withdrawn["withdrawn"]["reason"] == "wrong currency"
    assert withdrawn["withdrawn"]["author"] == "ann"
    assert (withdrawn["status"], withdrawn["current"]) == ("published", False)
    page = cli("evidence", *about, "-g", "rev-3").out
    assert "withdrawn" in page
    assert "wrong currency (ann)" in page
    before = cli("evidence", *about, "--as-of", "2026-03-02T02:59Z", "--json").json
    assert (before["generation"], before["withdrawn"]) == ("rev-3", None)
    assert cli("mark", "restore", "shop", "revenue", "rev-3", "--dir", told_here).status == 0
    assert cli("evidence", *about, "--json").json["generation"] == "rev-3"


def test_back_to_names_every_later_generation(cli: Cli, told_here: Path) -> None:
    said = cli(
        "mark", "withdraw", "shop", "orders", "--back-to", "snap-1", "--reason", "r", "--dir", told_here, "--json"
    )
    assert said.json["event"]["dataset"]["facets"]["headwater_withdrawal"]["generations"] == ["snap-2"]
    again = cli("mark", "withdraw", "shop", "orders", "--back-to", "snap-1", "--reason", "r", "--dir", told_here)
    assert (again.status, "names no generation" in again.err) == (2, True)


def test_what_a_bad_generation_taints(cli: Cli, told_here: Path) -> None:
    about = ("shop", "orders", "-g", "snap-1", "--dir", told_here)
    said = cli("mark", "bad", "shop", "orders", "snap-1", "--reason", "half a file", "--at", LATER, "--dir", told_here)
    assert (said.status, "said of snap-1" in said.out) == (0, True)
    found = cli("impact", *about, "--consumers", "--json").json
    assert [(one["version"], one["tainted"]) for one in found["reached"]] == [("rev-1", True)]
    assert (found["start"]["bad"]["reason"], found["tainted"]) == ("half a file", 1)
    assert {run["runId"] for run in found["consumers"]["runs"]} == {run_id("first"), run_id("failed")}
    page = cli("impact", *about, "--consumers").out
    for word in ("half a file", "tainted", "1 of 1 tainted", "read by", run_id("failed")):
        assert word in page, word
    assert cli("impact", *about, "--csv").out.splitlines()[1].endswith("false,true")
    deep = cli("evidence", "shop", "revenue", "-g", "rev-1", "--depth", 3, "--dir", told_here, "--json").json
    assert [one["version"] for one in deep["taintedBy"]] == ["snap-1"]
    assert cli("mark", "clear", "shop", "revenue", "rev-1", "--reason", "checked", "--dir", told_here).status == 0
    assert cli("impact", *about, "--json").json["tainted"] == 0


def test_stale_runs_are_interrupted(cli: Cli, told_here: Path) -> None:
    about = ("--dir", told_here)
    dry = cli("stale", "--after", 1, "--dry-run", *about, "--json").json
    assert [(run["runId"], run["lastSeen"]) for run in dry["runs"]] == [(run_id("hanging"), "2026-03-02T02:10:00Z")]
    assert cli("run", run_id("hanging"), *about, "--json").json["state"] == "RUNNING"
    assert "1 stale, sent to" in cli("stale", "--after", 1, *about).out
    found = cli("run", run_id("hanging"), *about, "--json").json
    assert (found["state"], found["ended"], found["lastSeen"]) == ("INTERRUPTED", None, "2026-03-02T02:10:00Z")
    assert "nothing was heard" in cli("run", run_id("hanging"), *about).out
    assert cli("stale", "--after", 1, *about, "--json").json["runs"] == []
    late = told_here.parent / "late.ndjson"
    late.write_bytes(lines(event("hanging", at=20, job="publish")))
    cli("emit", late, *about)
    assert cli("run", run_id("hanging"), *about, "--json").json["state"] == "COMPLETED"


def test_what_cannot_be_said(cli: Cli, told: Path) -> None:
    about = ("shop", "revenue", "--reason", "r", "--dir", told)
    assert cli("mark", "bad", *about[:2], "no-such", *about[2:]).status == 1
    assert cli("mark", "bad", "shop", "no such", "rev-1", *about[2:]).status == 1
    assert cli("mark", "withdraw", *about).status == 2
    assert cli("mark", "bad", *about[:2], "rev-1", *about[2:], "--at", "yesterday").status == 2
    assert cli("evidence", "shop", "revenue", "--as-of", "soon", "--dir", told).status == 2


def test_one_partition_is_followed(cli: Cli, tmp_path: Path) -> None:
    def wrote(number: int) -> dict[str, object]:
        said = event(f"part {number}", at=number, job="daily", inputs=[f"raw@r{number}"], outputs=[f"t@t{number}"])
        condition = {"type": "partition", "partitions": [{"dimensions": {"day": number}}]}
        said["outputs"][0]["outputFacets"] = {"subset": facet(outputCondition=condition)}
        position = {"kind": "offset", "partition": "0", "from": "17", "to": "42"}
        said["inputs"][0]["inputFacets"] = {"headwater_position": facet(positions=[position])}
        return said

    told = tmp_path / "parts.ndjson"
    told.write_bytes(lines(wrote(1), wrote(2)))
    about = ("--dir", tmp_path / "data")
    assert cli("emit", told, *about).status == 0
    page = cli("evidence", "shop", "t", "--partition", "day=1", *about).out
    for word in ("t1", "day=1", "r1", "offset 0 17 to 42"):
        assert word in page, word
    found = cli("impact", "shop", "raw", "-g", "r2", "--partition", "day=2", *about, "--json").json
    assert [one["version"] for one in found["reached"]] == ["t2"]
    assert cli("impact", "shop", "raw", "-g", "r2", "--partition", "day=2", *about).status == 0
    assert cli("impact", "shop", "raw", "--partition", "day", *about).status == 2
