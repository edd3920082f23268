"""The envelope: what is tolerated, what is refused with the field's name, and the event id."""

from __future__ import annotations

import copy
import enum
import json
import pickle
import uuid
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.shared import codec, errors
from headwater.shared.engine import STDLIB, default_engine
from headwater.shared.event import Name
from headwater.shared.limits import Limits

RUN: dict[str, Any] = {
    "eventType": "START",
    "eventTime": "2026-11-29T10:00:00.5+01:00",
    "producer": "https://example.org",
    "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
    "run": {"runId": "0F6E0C5A-1D2B-4C3D-8E4F-5A6B7C8D9E0F", "facets": {}},
    "job": {"namespace": "jobs", "name": "load"},
    "inputs": [{"namespace": "db", "name": "a", "facets": {"schema": None}, "inputFacets": {"x": {"y": 1}}}],
    "outputs": [{"namespace": "db", "name": "b", "outputFacets": {"outputStatistics": {"rowCount": 1}}}],
}
DATASET: dict[str, Any] = {"eventTime": "2026-11-29", "dataset": {"namespace": "db", "name": "a", "facets": {"f": {}}}}
MISSING = object()


def changed(event: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """A copy with the value at a pointer replaced, or taken away."""
    event = copy.deepcopy(event)
    *above, last = path.strip("/").split("/")
    place: Any = event
    for key in above:
        place = place[int(key) if isinstance(place, list) else key]
    if value is MISSING:
        del place[last]
    else:
        place[int(last) if isinstance(place, list) else last] = value
    return event


def test_run_event() -> None:
    raw = json.dumps(RUN, indent=1).encode()
    event = codec.decode(raw)
    assert event.raw == raw
    assert event.kind == "run"
    assert event.event_type == "START"
    assert event.event_time == "2026-11-29T09:00:00.500000000Z"
    assert event.run_id == "0f6e0c5a-1d2b-4c3d-8e4f-5a6b7c8d9e0f"
    assert event.job == Name("jobs", "load")
    assert event.dataset is None
    assert event.inputs[0] == (("db", "a"), {"schema": None}, {"x": {"y": 1}})
    assert event.outputs[0] == (("db", "b"), {}, {"outputStatistics": {"rowCount": 1}})
    assert event.body == RUN
    assert event.event_id == codec.event_id_of(codec.canonical_json(RUN))
    assert "START" in repr(event)


def test_job_event_may_have_an_event_type() -> None:
    event = codec.from_dict(changed(RUN, "/run", MISSING))
    assert (event.kind, event.run_id, event.event_type) == ("job", None, "START")
    assert codec.from_dict(changed(RUN, "/run", None)).kind == "job"


def test_dataset_event() -> None:
    event = codec.from_dict(DATASET)
    assert event.kind == "dataset"
    assert event.job is None
    assert event.dataset == (("db", "a"), {"f": {}}, {})


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("/producer", MISSING),
        ("/schemaURL", MISSING),
        ("/schemaURL", None),
        ("/producer", 5),
        ("/inputs", None),
        ("/inputs", MISSING),
        ("/outputs", []),
        ("/inputs/0/facets", None),
        ("/inputs/0/facets", MISSING),
        ("/inputs/0/facets", "no object"),
        ("/inputs/0/facets/schema", [1]),
        ("/run/facets", None),
        ("/job/facets", 7),
        ("/job/name", "with / : % # spaces and 日本"),
        ("/unknown", {"kept": [1]}),
    ],
)
def test_tolerated(path: str, value: Any) -> None:
    body = changed(RUN, path, value)
    assert codec.from_dict(body).body == body


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ("complete", "COMPLETE"),
        (" Start ", "START"),
        ("other", "OTHER"),
        ("Paused", "PAUSED"),
        ("", None),
        (None, None),
    ],
)
def test_event_type_in_any_case(sent: Any, read: str | None) -> None:
    assert codec.from_dict(changed(RUN, "/eventType", sent)).event_type == read


def test_the_id_is_of_the_body_as_sent() -> None:
    lower = codec.from_dict(changed(RUN, "/eventType", "start"))
    assert lower.event_type == codec.from_dict(RUN).event_type
    assert lower.event_id != codec.from_dict(RUN).event_id


@pytest.mark.parametrize(
    ("path", "value", "where", "message"),
    [
        ("/eventTime", MISSING, "/eventTime", "is missing"),
        ("/eventTime", None, "/eventTime", "is missing"),
        ("/eventTime", 1767225600, "/eventTime", "must be text, not a number"),
        ("/eventTime", "noon", "/eventTime", "not an ISO 8601 time"),
        ("/eventTime", "", "/eventTime", "not an ISO 8601 time"),
        ("/eventType", 1, "/eventType", "must be text, not a number"),
        ("/eventType", ["START"], "/eventType", "must be text, not a list"),
        ("/run", "r", "/run", "must be an object, not text"),
        ("/run", [], "/run", "must be an object, not a list"),
        ("/run/runId", MISSING, "/run/runId", "is missing"),
        ("/run/runId", 5, "/run/runId", "must be text, not a number"),
        ("/run/runId", " ", "/run/runId", "is blank"),
        ("/run/runId", "x" * 4097, "/run/runId", "4,097 characters, at most 4,096"),
        ("/job", MISSING, "/job", "is missing"),
        ("/job", None, "/job", "is missing"),
        ("/job", "load", "/job", "must be an object, not text"),
        ("/job/namespace", MISSING, "/job/namespace", "is missing"),
        ("/job/namespace", "", "/job/namespace", "is blank"),
        ("/job/name", None, "/job/name", "is missing"),
        ("/job/name", "\t\n", "/job/name", "is blank"),
        ("/job/name", True, "/job/name", "must be text, not a boolean"),
        ("/job/name", "x" * 13_000, "/job/name", "13,000 characters"),
        ("/inputs", {}, "/inputs", "must be a list, not an object"),
        ("/inputs", "", "/inputs", "must be a list, not text"),
        ("/inputs", False, "/inputs", "must be a list, not a boolean"),
        ("/inputs/0", None, "/inputs/0", "is missing"),
        ("/inputs/0", "db.a", "/inputs/0", "must be an object, not text"),
        ("/inputs/0/name", MISSING, "/inputs/0/name", "is missing"),
        ("/outputs/0/namespace", 3.5, "/outputs/0/namespace", "must be text, not a number"),
        ("/outputs", [{"namespace": "db", "name": "x"}] * 10_001, "/outputs", "10,001 datasets, at most 10,000"),
    ],
)
def test_refused_by_field(path: str, value: Any, where: str, message: str) -> None:
    with pytest.raises(errors.InvalidFieldError) as caught:
        codec.from_dict(changed(RUN, path, value))
    assert caught.value.where == where
    assert message in str(caught.value)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_dataset_event_is_refused_by_field() -> None:
    with pytest.raises(errors.InvalidFieldError, match="/dataset/name: is missing"):
        codec.from_dict(changed(DATASET, "/dataset/name", MISSING))


@pytest.mark.parametrize("raw", [b"[]", b"null", b"5", b'"x"', b"true"])
def test_no_object(raw: bytes) -> None:
    with pytest.raises(errors.InvalidFieldError, match="an event is a JSON object"):
        codec.decode(raw)


def test_nothing_to_tell_the_kind_by() -> None:
    with pytest.raises(errors.InvalidFieldError, match="neither run and job, nor job, nor dataset"):
        codec.decode(b'{"eventTime":"2026-01-01","run":null}')


def test_limits_are_the_callers() -> None:
    with pytest.raises(errors.InvalidFieldError, match="at most 2 are"):
        codec.from_dict(RUN, Limits(max_name_chars=2))


@pytest.mark.parametrize(
    ("value", "where"),
    [
        (object(), "/a/1"),
        (float("nan"), "/a/1"),
        ({"b": {1, 2}}, "/a/1/b"),
        (b"bytes", "/a/1"),
        ({(1, 2): 1}, "/a/1/(1, 2)"),
    ],
)
@pytest.mark.parametrize("engine", [default_engine(), STDLIB], ids=lambda engine: engine.name)
def test_a_dict_that_is_no_json(value: Any, where: str, engine: Any) -> None:
    with pytest.raises(errors.NotJsonError) as caught:
        codec.from_dict(RUN | {"a": [1, value]}, engine=engine)
    assert caught.value.where == where


@pytest.mark.parametrize("engine", [default_engine(), STDLIB], ids=lambda engine: engine.name)
def test_a_dict_with_the_same_poison_as_bytes(engine: Any) -> None:
    loop: dict[str, Any] = dict(RUN)
    loop["self"] = loop
    for body, error, where in [
        (RUN | {"a": "\ud800"}, errors.NotUtf8Error, "/a"),
        (RUN | {"a": "x\0"}, errors.ForbiddenCharacterError, "/a"),
        (RUN | {"a": 2**63}, errors.NumberOutOfRangeError, "/a"),
        (RUN | {"a": 2**70}, errors.NumberOutOfRangeError, "/a"),
        (RUN | {"a": {1: "x", "1": "y"}}, errors.DuplicateKeyError, "/a/1"),
        (loop, errors.TooDeepError, "/self"),
    ]:
        with pytest.raises(error) as caught:
            codec.from_dict(body, engine=engine)
        assert caught.value.where.startswith(where)


@pytest.mark.parametrize("engine", [default_engine(), STDLIB], ids=lambda engine: engine.name)
def test_kinds_that_people_put_into_events(engine: Any) -> None:
    class Color(enum.Enum):
        RED = "red"

    class Word(enum.StrEnum):
        START = "START"

    class Text(str):
        pass

    run_id = uuid.uuid4()
    body = {
        "a": run_id,
        "b": datetime(2026, 1, 1, tzinfo=UTC),
        "c": Color.RED,
        "d": Word.START,
        "e": Text("t"),
        "f": (1,),
    }
    assert json.loads(engine.dumps(body)) == {
        "a": str(run_id),
        "b": "2026-01-01T00:00:00+00:00",
        "c": "red",
        "d": "START",
        "e": "t",
        "f": [1],
    }


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text('aé:"\\\n', max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab:é", max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text("xyz:", min_size=1, max_size=4), JSON_VALUES, max_size=4), st.sampled_from([None, 2]))
def test_round_trip(extra: dict[str, Any], indent: int | None) -> None:
    body = RUN | extra
    events = [
        codec.decode(json.dumps(body, indent=indent, sort_keys=indent is None).encode(), engine=engine)
        for engine in (default_engine(), STDLIB)
    ]
    assert events[0] == events[1]
    assert events[0].body == body
    assert codec.decode(events[0].raw) == events[0]
    assert codec.from_dict(body).event_id == events[0].event_id


@pytest.mark.parametrize(
    ("text", "mapped"),
    [
        ("0f6e0c5a-1d2b-4c3d-8e4f-5a6b7c8d9e0f", "0f6e0c5a-1d2b-4c3d-8e4f-5a6b7c8d9e0f"),
        ("0F6E0C5A1D2B4C3D8E4F5A6B7C8D9E0F", "0f6e0c5a-1d2b-4c3d-8e4f-5a6b7c8d9e0f"),
        ("urn:uuid:0f6e0c5a-1d2b-4c3d-8e4f-5a6b7c8d9e0f", "0f6e0c5a-1d2b-4c3d-8e4f-5a6b7c8d9e0f"),
        ("{0f6e0c5a-1d2b-4c3d-8e4f-5a6b7c8d9e0f}", "0f6e0c5a-1d2b-4c3d-8e4f-5a6b7c8d9e0f"),
        # The MD5 of "hello", version and variant set: what Java's UUID.nameUUIDFromBytes("hello") gives.
        ("hello", "5d41402a-bc4b-3a76-b971-9d911017c592"),
    ],
)
def test_run_ids(text: str, mapped: str) -> None:
    assert codec.run_uuid(text) == mapped


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_run_id_becomes_a_uuid(text: str) -> None:
    mapped = codec.run_uuid(text)
    assert str(uuid.UUID(mapped)) == mapped
    assert codec.run_uuid(mapped) == mapped
