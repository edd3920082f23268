"""What a run's events say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from headwater.producer import LineageDataset, current_run, run
from headwater.producer._event_time import EventTimes
from headwater.producer._ids import new_run_id
from headwater.producer.testing import capture_lineage
from headwater.shared.clock import ManualClock

USERS = LineageDataset("mongo", "users")
REPORT = LineageDataset("s3://reports", "daily", version="rev-1")


def test_start_and_complete_say_what_the_run_reads_and_writes() -> None:
    with capture_lineage() as events, run("nightly.load", job_namespace="etl") as handle:
        assert current_run() is handle
        handle.input(USERS, version="snap-48")
        handle.output(REPORT)
        handle.facet("nominalTime", {"nominalStartTime": "2026-11-29T00:00:00Z"})
        handle.job_facet("documentation", {"description": "loads"})
        handle.output_stats(REPORT, rows=10, size=2048)
    start, complete = events
    assert (start["eventType"], complete["eventType"]) == ("START", "COMPLETE")
    assert start["run"]["runId"] == complete["run"]["runId"] == handle.run_id
    assert complete["job"]["namespace"] == "etl"
    assert complete["job"]["name"] == "nightly.load"
    assert complete["schemaURL"] == "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"
    (read,), (written,) = complete["inputs"], complete["outputs"]
    assert (read["namespace"], read["name"]) == ("mongo", "users")
    assert read["facets"]["version"]["datasetVersion"] == "snap-48"
    assert written["facets"]["version"]["datasetVersion"] == "rev-1"
    stats = written["outputFacets"]["outputStatistics"]
    assert (stats["rowCount"], stats["size"]) == (10, 2048)
    nominal = complete["run"]["facets"]["nominalTime"]
    assert nominal["_schemaURL"].endswith("/1-0-1/NominalTimeRunFacet.json#/$defs/NominalTimeRunFacet")
    assert nominal["_producer"] == complete["producer"]
    assert complete["job"]["facets"]["documentation"]["description"] == "loads"
    assert complete["run"]["facets"]["processing_engine"]["name"]
    assert getattr(current_run(), "live", False) is False


async def test_the_same_handle_works_asynchronously() -> None:
    with capture_lineage() as events:
        async with run("load") as handle:
            assert current_run() is handle
    assert [event["eventType"] for event in events] == ["START", "COMPLETE"]


def test_a_version_takes_the_place_of_a_mention_without_one_and_two_versions_are_two_pins() -> None:
    with capture_lineage() as events, run("load", inputs=[USERS]) as handle:
        handle.input(USERS, version="1")
        handle.input(USERS)
        handle.input(USERS, version="2")
    versions = [one["facets"]["version"]["datasetVersion"] for one in events[-1]["inputs"]]
    assert versions == ["1", "2"]
    assert "version" not in events[0]["inputs"][0]["facets"]


def test_edges_of_one_output_are_the_lineage_facet() -> None:
    orders = LineageDataset("db", "orders")
    with capture_lineage() as events, run("load") as handle:
        handle.output(REPORT, inputs=[USERS.at("snap-1"), orders])
        handle.output(LineageDataset("db", "calendar"), inputs=[])
        handle.output(LineageDataset("db", "unsaid"))
    facet = events[-1]["job"]["facets"]["lineage"]
    assert facet["_schemaURL"].endswith("/1-0-0/LineageFacet.json#/$defs/LineageJobFacet")
    assert facet["entries"] == [
        {
            "namespace": "s3://reports",
            "name": "daily",
            "type": "DATASET",
            "inputs": [
                {"namespace": "mongo", "name": "users", "type": "DATASET"},
                {"namespace": "db", "name": "orders", "type": "DATASET"},
            ],
        },
        {"namespace": "db", "name": "calendar", "type": "DATASET", "inputs": []},
    ]
    assert [one["name"] for one in events[-1]["inputs"]] == ["users", "orders"]
    assert events[-1]["inputs"][0]["facets"]["version"]["datasetVersion"] == "snap-1"


def test_commit_is_an_event_of_its_own_with_the_mark_on_that_output_alone() -> None:
    with capture_lineage() as events, run("publish", inputs=[USERS]) as handle:
        handle.output(LineageDataset("db", "scratch"))
        handle.commit(LineageDataset("db", "table"), version="9")
    _, running, complete = events
    assert running["eventType"] == "RUNNING"
    (output,) = running["outputs"]
    assert output["name"] == "table"
    assert output["facets"]["version"]["datasetVersion"] == "9"
    assert set(output["outputFacets"]["headwater_commit"]) == {"_producer", "_schemaURL"}
    assert [one["name"] for one in running["inputs"]] == ["users"]
    assert {one["name"] for one in complete["outputs"]} == {"scratch", "table"}


def test_logical_key_is_the_attempt_facet() -> None:
    with capture_lineage() as events, run("nightly", logical_key="nightly/2026-11-29"):
        pass
    assert events[0]["run"]["facets"]["headwater_attempt"]["logicalKey"] == "nightly/2026-11-29"


def test_nested_runs_carry_parent_and_root() -> None:
    with capture_lineage() as events, run("a") as a, run("b") as b, run("c") as c:
        pass
    facets = {event["run"]["runId"]: event["run"]["facets"] for event in events if event["eventType"] == "START"}
    assert "parent" not in facets[a.run_id]
    assert facets[b.run_id]["parent"]["run"]["runId"] == a.run_id
    assert facets[c.run_id]["parent"]["run"]["runId"] == b.run_id
    assert facets[c.run_id]["parent"]["root"] == {
        "run": {"runId": a.run_id},
        "job": {"namespace": "default", "name": "a"},
    }


def test_an_exception_is_a_fail_with_message_and_trace() -> None:
    error = ValueError("no such table")
    with capture_lineage() as events, pytest.raises(ValueError, match="no such table") as caught, run("load"):
        raise error
    assert caught.value is error
    facet = events[-1]["run"]["facets"]["errorMessage"]
    assert events[-1]["eventType"] == "FAIL"
    assert facet["message"] == "no such table"
    assert facet["programmingLanguage"] == "python"
    assert "test_an_exception_is_a_fail" in facet["stackTrace"]
    assert "ValueError: no such table" in facet["stackTrace"]


@pytest.mark.parametrize(
    ("error", "ending"),
    [(SystemExit(0), "COMPLETE"), (SystemExit(), "COMPLETE"), (SystemExit(2), "FAIL"), (KeyboardInterrupt(), "ABORT")],
)
def test_what_is_no_exception(error: BaseException, ending: str) -> None:
    with capture_lineage() as events, pytest.raises(type(error)), run("load"):
        raise error
    assert events[-1]["eventType"] == ending


def test_a_run_by_hand_ends_once() -> None:
    with capture_lineage() as events:
        handle = run("load")
        handle.start()
        handle.start()
        handle.fail("gave up")
        handle.complete()
        handle.abort()
    assert [event["eventType"] for event in events] == ["START", "FAIL"]
    assert events[-1]["run"]["facets"]["errorMessage"]["message"] == "gave up"


def test_times_increase_when_the_clock_stands_or_steps_back() -> None:
    clock = ManualClock(now_s=1_767_225_600.5)
    times = EventTimes(clock)
    given = [times.next(), times.next()]
    clock.advance(-3600)
    given.append(times.next())
    assert given == [f"2026-01-01T00:00:00.{us}Z" for us in ("500000", "500001", "500002")]


def test_run_ids_are_version_7() -> None:
    ids = [new_run_id() for _ in range(1000)]
    assert len(set(ids)) == 1000
    pattern = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
    assert all(pattern.fullmatch(one) for one in ids)
    assert [one[:8] for one in ids] == sorted(one[:8] for one in ids)


def test_datasets_may_be_given_in_other_forms() -> None:
    with (
        capture_lineage() as events,
        run("load", inputs=[("db", "a"), {"namespace": "db", "name": "b", "version": "3"}]),
    ):
        pass
    assert [one["name"] for one in events[0]["inputs"]] == ["a", "b"]
    assert events[0]["inputs"][1]["facets"]["version"]["datasetVersion"] == "3"


def test_the_handle_does_nothing_where_lineage_is_off(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HEADWATER_DISABLED", "1")
    with run("load", inputs=[USERS]) as handle:
        handle.input(USERS)
        handle.output(REPORT, inputs=[USERS])
        handle.facet("x", {})
        handle.job_facet("x", {})
        handle.output_stats(REPORT, rows=1)
        handle.commit(REPORT)
        assert not handle.live
        assert getattr(current_run(), "live", False) is False
    assert not (tmp_path / "state").exists()


def test_a_wrong_facet_costs_the_facet_alone(make_producer) -> None:  # type: ignore[no-untyped-def]
    from headwater.producer._guard import STATE

    STATE.raising = False
    producer = make_producer()
    with producer.run("load") as handle:
        handle.facet("bad", 42)
        handle.input(42)
        handle.facet("good", {"a": 1})
    producer.flush()
    assert producer.stats().delivered == 2
    assert producer.stats().internal_errors >= 2
