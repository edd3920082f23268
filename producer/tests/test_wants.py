"""What is said of wants and job runs: by ``want``, ``run(wants=...)``, ``queued`` and ``dep_miss``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest

from headwater.producer import LineageDataset, LineageProducer, run, want
from headwater.producer._guard import STATE
from headwater.producer.testing import capture_lineage
from headwater.shared.codec import from_dict

BOARD = LineageDataset("lake", "board/2026-11-29")
REVENUE = LineageDataset("lake", "revenue/2026-11-29", version="7")
NAMES = [{"namespace": "lake", "name": "board/2026-11-29"}, {"namespace": "lake", "name": "revenue/2026-11-29"}]


@pytest.fixture
def production() -> Iterator[None]:
    STATE.raising = False
    yield
    STATE.raising = True


def stated(facet: dict[str, Any]) -> dict[str, Any]:
    """A facet without the keys that every facet has, which are checked."""
    assert facet["_producer"]
    assert facet["_schemaURL"].startswith("urn:headwater:facet:Headwater")
    return {key: value for key, value in facet.items() if not key.startswith("_")}


def test_a_want_is_a_dataset_event_about_its_id() -> None:
    with capture_lineage() as events:
        made = want([BOARD, REVENUE, dict(NAMES[0]), ("lake", "board/2026-11-29")], comment="for monday")
        given = uuid4()
        assert want(BOARD, want_id=given) == str(given)
    assert UUID(made).version == 4
    first, second = events
    assert "run" not in first
    assert "job" not in first
    assert (first["dataset"]["namespace"], first["dataset"]["name"]) == ("headwater:wants", made)
    assert stated(first["dataset"]["facets"]["headwater_want"]) == {"partitions": NAMES, "comment": "for monday"}
    assert stated(second["dataset"]["facets"]["headwater_want"]) == {"partitions": NAMES[:1]}
    assert re.fullmatch(r"20\d\d-.*Z", first["eventTime"])
    assert [from_dict(event).kind for event in events] == ["dataset", "dataset"]


def test_a_run_says_which_wants_it_serves_and_that_it_waits() -> None:
    wants = [uuid4(), uuid4()]
    with capture_lineage() as events:
        handle = run("board", wants=wants[:1], logical_key="board/1")
        handle.serves(wants)
        handle.queued()
        with handle:
            handle.queued()  # too late, and nothing
    waits, start, complete = events
    assert (waits["eventType"], start["eventType"], complete["eventType"]) == ("OTHER", "START", "COMPLETE")
    for event in events:
        assert stated(event["run"]["facets"]["headwater_wants"]) == {"wants": [str(one) for one in wants]}
        assert ("headwater_queued" in event["run"]["facets"]) is (event is waits)
    assert waits["run"]["runId"] == start["run"]["runId"]
    assert waits["eventTime"] < start["eventTime"]


def test_a_dep_miss_ends_the_run_and_asks_for_what_is_missing() -> None:
    with capture_lineage() as events, run("board") as handle:
        handle.input(REVENUE)
        (made,) = handle.dep_miss(missing=[REVENUE, BOARD])
        handle.fail("too late")
    start, end = events
    assert (start["eventType"], end["eventType"]) == ("START", "ABORT")
    asked = {"id": made, "partitions": NAMES[::-1]}
    assert stated(end["run"]["facets"]["headwater_dep_miss"]) == {"missing": NAMES[::-1], "wants": [asked]}
    assert [one["name"] for one in end["inputs"]] == ["revenue/2026-11-29"]


def test_wants_of_a_dep_miss_are_ids_or_say_what_is_wanted() -> None:
    with capture_lineage() as events, run("board") as handle:
        known = want(REVENUE)
        ids = handle.dep_miss(
            missing=[REVENUE],
            wants=[known, {"partitions": [BOARD], "comment": "too"}, {"id": "w", "partitions": BOARD}],
        )
    listed = stated(events[-1]["run"]["facets"]["headwater_dep_miss"])["wants"]
    assert [one["id"] for one in listed] == list(ids)
    assert listed[0] == {"id": known}
    assert listed[1] == {"id": ids[1], "partitions": NAMES[:1], "comment": "too"}
    assert listed[2] == {"id": "w", "partitions": NAMES[:1]}


def test_an_exception_after_a_dep_miss_is_no_failure() -> None:
    def build() -> None:
        with run("board") as handle:
            handle.dep_miss(missing=[REVENUE], wants=["w"])
            raise KeyError

    with capture_lineage() as events, pytest.raises(KeyError):
        build()
    assert [event["eventType"] for event in events] == ["START", "ABORT"]


def test_the_application_goes_on(production: None) -> None:
    """Nonsense is no want; and a run that missed something never looks as if it had succeeded."""
    nonsense: Any = object()
    with capture_lineage() as events, run("board", wants=nonsense) as handle:
        assert UUID(want(nonsense))
        assert UUID(want([]))
        assert handle.dep_miss(missing=nonsense) == ()
    assert [event["eventType"] for event in events] == ["START", "ABORT"]
    assert STATE.internal_errors


def test_where_lineage_is_off_ids_are_made_all_the_same() -> None:
    off = LineageProducer(enabled=False)
    made = off.want([BOARD])
    assert UUID(made)
    with off.run("board", wants=[made]) as handle:
        handle.queued()
        assert handle.dep_miss(missing=[BOARD], wants=[made]) == (made,)
