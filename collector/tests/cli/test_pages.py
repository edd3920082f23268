"""Pages for people: everything that must be on them is, and nothing in a name steers the terminal."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from rich.console import Console, RenderableType

from headwater.collector.cli.render.evidence import evidence_page
from headwater.collector.cli.render.graph import column_page, impact_page, impact_rows, lineage_page
from headwater.collector.cli.render.letters import letter_page, letters_page
from headwater.collector.cli.render.run import changed_lines, run_page, runs_page
from headwater.collector.cli.render.words import duration_of, first_line, plain

ORDERS = {"namespace": "shop", "name": "orders"}
REVENUE = {"namespace": "shop", "name": "revenue"}
RUN: dict[str, Any] = {
    "runId": "01890a5d-ac96-774b-bcce-b302099a8057",
    "job": {"namespace": "shop", "name": "publish"},
    "state": "COMPLETED",
    "contradiction": False,
    "started": "2026-03-02T02:00:00Z",
    "ended": "2026-03-02T02:00:12.5Z",
    "firstSeen": "2026-03-02T02:00:00Z",
    "lastSeen": "2026-03-02T02:00:12.5Z",
    "logicalKey": "publish/2026-03-02",
    "attempt": 2,
    "code": {"type": "git", "url": "https://example.org/repo", "version": "1a2b3c4"},
    "error": None,
    "parent": {"runId": "01890a5d-0000-774b-bcce-b302099a8057", "job": {"namespace": "shop", "name": "daily"}},
    "history": [{"type": "START", "time": "2026-03-02T02:00:00Z"}],
    "inputs": [{"dataset": ORDERS, "version": "snap-1", "grade": "declared"}],
    "outputs": [
        {"dataset": REVENUE, "version": "rev-2", "status": "committed", "committedAt": "2026-03-02T02:00:12.5Z"}
    ],
}
FAILED = {**RUN, "runId": "failed-run", "state": "FAILED", "attempt": 1, "error": {"message": "no\nsecond line"}}
EVIDENCE: dict[str, Any] = {
    "dataset": REVENUE,
    "generation": "rev-2",
    "status": "published",
    "current": True,
    "committedAt": "2026-03-02T02:00:12.5Z",
    "run": RUN,
    "conflict": [],
    "edges": [{"dataset": ORDERS, "version": "snap-1", "grade": "sole", "pin": "declared"}],
    "columns": {"eur": [{"dataset": ORDERS, "field": "amount", "type": "DIRECT", "subtype": "SUM", "resolved": False}]},
    "schema": [{"name": "eur", "type": "decimal"}],
    "sources": [],
    "diagnostics": {
        "attempts": [FAILED, RUN],
        "candidates": [{"version": "rev-1", "runId": "failed-run", "state": "FAILED", "error": {"message": "no"}}],
    },
}


def printed(parts: Sequence[RenderableType]) -> str:
    console = Console(file=io.StringIO(), width=160, markup=False, emoji=False, highlight=False)
    for part in parts:
        console.print(part)
    text: str = console.file.getvalue()  # type: ignore[attr-defined]
    return text


def test_evidence_says_all_that_it_is_for() -> None:
    page = printed(evidence_page(EVIDENCE))
    for said in (
        *("revenue", "rev-2", "published", "current", "2026-03-02T02:00:12.5Z", RUN["runId"], "COMPLETED"),
        *("2 of 2", "publish/2026-03-02", "1a2b3c4", "https://example.org/repo", "orders (shop)", "snap-1", "declared"),
        *("sole", "orders.amount", "unresolved", "DIRECT SUM", "eur decimal", "rev-1", "failed-run", "FAILED"),
    ):
        assert said in page, said
    assert page.index("Diagnostics") < page.index("rev-1")


def test_a_conflict_names_both_and_chooses_none() -> None:
    conflict = {
        **EVIDENCE,
        "status": "conflict",
        "run": None,
        "conflict": ["run-a", "run-b"],
        "edges": [],
        "columns": {},
    }
    page = printed(evidence_page(conflict))
    assert "conflict" in page
    assert "run-a, run-b" in page


def test_nothing_is_known() -> None:
    empty = {**EVIDENCE, "generation": None, "status": "unknown", "current": False, "run": None, "committedAt": None}
    empty |= {"edges": [], "columns": {}, "schema": None, "diagnostics": {"attempts": [], "candidates": []}}
    assert "no generation known" in printed(evidence_page(empty))


def test_run_page_tells_reads_writes_history_and_attempts() -> None:
    logical = {
        "key": "publish/2026-03-02",
        "attempts": [FAILED, RUN],
        "changed": [{"dataset": ORDERS, "versions": {"failed-run": ["snap-0"], RUN["runId"]: ["snap-1"]}}],
    }
    page = printed(run_page(RUN, logical))
    for said in (
        "12.5 s",
        "snap-1",
        "committed",
        "START",
        "daily (shop)",
        "attempt 1 read snap-0, attempt 2 read snap-1",
    ):
        assert said in page, said
    assert "second line" not in page
    assert len(changed_lines(logical)) == 1


def test_lists_say_when_they_are_cut() -> None:
    assert "go on with --after t_r" in printed(runs_page({"runs": [RUN], "truncated": True, "next": "t_r"}))
    assert "No run matches" in printed(runs_page({"runs": [], "truncated": False}))
    reached = [{"dataset": REVENUE, "version": None, "distance": 1, "possible": True, "runId": "r"}]
    answer = {"reached": reached, "truncated": True, "truncatedBy": "limit"}
    assert "Truncated by limit" in printed(impact_page(answer))
    assert "possible" in printed(impact_page(answer))
    assert impact_rows(answer)[1] == ["1", "shop", "revenue", "", "r", "true", "false"]


def test_tree_of_a_diamond_shows_every_node_and_ends_on_a_cycle() -> None:
    ids = ["job:a", "dataset:b", "dataset:c", "job:d", "dataset:e"]
    nodes = [
        {"id": one, "type": one.split(":")[0].upper(), "namespace": "n", "name": f"<{one[-1]}>", "distance": at}
        for at, one in enumerate(ids)
    ]
    pairs = [("job:a", "dataset:b"), ("job:a", "dataset:c"), ("dataset:b", "job:d"), ("dataset:c", "job:d")]
    pairs += [("job:d", "dataset:e"), ("dataset:e", "job:a")]
    edges = [{"origin": a, "destination": b} for a, b in pairs]
    page = printed(lineage_page({"nodes": nodes, "edges": edges, "truncated": False}))
    for one in ids:
        assert f"<{one[-1]}>" in page
    assert "(above)" in page
    assert "comes from" in page
    assert "goes into" in page


def test_a_tree_as_deep_as_it_likes() -> None:
    nodes = [
        {"id": str(at), "type": "DATASET", "namespace": "n", "name": f"d{at}", "distance": at} for at in range(600)
    ]
    edges = [{"origin": str(at), "destination": str(at + 1)} for at in range(599)]
    page = printed(lineage_page({"nodes": nodes, "edges": edges, "truncated": False}))
    assert [f"d{at} " in page for at in range(600)] == [True] * 600


def test_column_walk_is_told_by_distance() -> None:
    step = {**EVIDENCE["columns"]["eur"][0], "version": "snap-1", "distance": 1, "resolved": True}
    page = printed(column_page({"reached": [step], "truncated": False, "truncatedBy": None}))
    assert "orders.amount" in page
    assert "snap-1" in page


def test_letters() -> None:
    letter = {
        "id": 3,
        "state": "open",
        "reason": "not_json",
        "stage": "decode",
        "error": "bad\nworse",
        "where": "byte 7",
        "failedStores": ["sql"],
        "eventId": None,
        "attempts": 1,
        "firstFailedMs": 0,
        "appendedMs": 1_767_225_600_000,
        "origin": {"topic": "t", "partition": 0, "offset": 9},
        "value": "{\x1b[2J",
        "bytes": 5,
    }
    page = printed(letter_page(letter))
    for said in ("not_json", "byte 7", "t/0/9", "2026-01-01T00:00:00Z", "{\\x1b[2J", "sql"):
        assert said in page, said
    assert "--after 3" in printed(letters_page([letter], truncated=True))
    assert "No dead letters" in printed(letters_page([], truncated=False))


def test_names_do_not_steer_the_terminal() -> None:
    wild = {**RUN, "job": {"namespace": "\x1b]0;x\x07", "name": "[red]a[/red] :smile:\x9b2J\r"}}
    page = printed(runs_page({"runs": [wild], "truncated": False}))
    assert "[red]a[/red] :smile:\\x9b2J\\x0d (\\x1b]0;x\\x07)" in page
    assert plain("\n\t\x7f") == "\\x0a\\x09\\x7f"
    assert first_line("a" * 500, max_chars=10) == "a" * 9 + "…"


def test_durations() -> None:
    assert duration_of("2026-03-02T02:00:00Z", "2026-03-02T02:00:00.123456789Z") == "0.123 s"
    assert duration_of("2026-03-02T02:00:00Z", "2026-03-02T02:01:05Z") == "1 min 05 s"
    assert duration_of("2026-03-02T02:00:00Z", "2026-03-02T03:02:05Z") == "1 h 02 min"
    assert duration_of(None, "2026-03-02T03:02:05Z") == ""
