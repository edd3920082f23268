"""POST /api/v1/lineage/batch: many events, each judged alone."""

from __future__ import annotations

import gzip

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.collector.api import split
from headwater.collector.api.answers import Refusal
from headwater.collector.pipeline.outcome import Outcome

URL = "/api/v1/lineage/batch"


async def test_all_good(client, direct, event):
    events = [event(number, outputs=[("db", f"t{number}")]) for number in range(1200)]
    body = orjson.dumps([{"runId": each["run"]["runId"], **each, "inputs": []} for each in events])
    assert len(body) > 200_000
    answer = await client.post(URL, content=gzip.compress(body), headers={"content-encoding": "gzip"})
    assert answer.status_code == 413
    small = orjson.dumps([{"eventTime": "2026-01-01", "run": e["run"], "job": e["job"]} for e in events])
    answer = await client.post(URL, content=gzip.compress(small), headers={"content-encoding": "gzip"})
    assert answer.json() == {
        "status": "success",
        "summary": {
            "received": 1200, "successful": 1200, "failed": 0, "retriable": 0, "non_retriable": 0, "pending": 0
        },
        "failed_events": [],
    }  # fmt: skip
    assert len(direct.took) == 1200


async def test_a_bad_event_costs_only_itself(client, direct, event):
    good = [orjson.dumps(event(number)) for number in range(3)]
    bad = [
        b"",
        b"{}",
        b'{"a":1,"a":2}',
        b'{"a": [1, }',
        b"NaN",
        b'"text, [with] {brackets} and \\" quotes"',
        b'{"\xff": 1}',
    ]
    body = b" [\n" + b" ,".join([good[0], *bad, good[1], b" " + good[2] + b"\n"]) + b"] "
    answer = await client.post(URL, content=body)
    assert answer.status_code == 200
    said = answer.json()
    assert said["status"] == "partial_success"
    assert said["summary"] == {
        "received": 10, "successful": 3, "failed": 7, "retriable": 0, "non_retriable": 7, "pending": 0
    }  # fmt: skip
    assert [each["index"] for each in said["failed_events"]] == [1, 2, 3, 4, 5, 6, 7]
    assert all(each["reason"] and each["retriable"] is False for each in said["failed_events"])
    assert direct.took == good, "byte for byte, as they stood in the array"


async def test_one_event_too_large_costs_only_itself(client, event):
    body = orjson.dumps([event(1), event(2, facets={"big": {"text": "x" * 20_000}}), event(3)])
    answer = (await client.post(URL, content=body)).json()
    assert answer["summary"]["successful"] == 2
    assert [each["index"] for each in answer["failed_events"]] == [1]


async def test_no_event_at_all(client):
    answer = await client.post(URL, content=b"[]")
    assert answer.status_code == 200
    assert answer.json()["summary"]["received"] == 0


@pytest.mark.parametrize("body", [b"", b"{}", b"[", b'[{"a": 1}', b'[{"a": "]', b"[1]]", b"[1] x", b"[}", b"nonsense"])
async def test_what_is_no_array_is_400(client, body):
    answer = await client.post(URL, content=body)
    assert answer.status_code == 400
    assert answer.json()["message"]


async def test_too_many_is_413(client):
    assert (await client.post(URL, content=b"[" + b"1," * 3000 + b"1]")).status_code == 413


async def test_accepted_and_not_stored_is_counted_as_pending(client, direct, event):
    direct.outcome = Outcome.PENDING
    answer = await client.post(URL, content=orjson.dumps([event(1), event(2)]))
    assert answer.json()["summary"]["successful"] == 2
    assert answer.json()["summary"]["pending"] == 2


_json = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(st.lists(_json), st.booleans())
def test_any_array_is_cut_into_its_elements(values, spaced):
    body = b"[" + (b" ,\n" if spaced else b",").join(map(orjson.dumps, values)) + b"]"
    assert [orjson.loads(each) for each in split.elements(body, 10_000)] == values


@given(st.lists(st.sampled_from([b"[", b"]", b"{", b"}", b'"', b"\\", b",", b":", b"a", b" ", b"\xff"])).map(b"".join))
def test_any_bytes_are_cut_or_refused(noise):
    try:
        elements = split.elements(b"[" + noise, 10_000)
    except Refusal as refusal:
        status = refusal.status
    else:
        status = 200
        assert sum(map(len, elements)) <= len(noise)
    assert status in (200, 400)


def test_hostile_text_takes_no_time_that_grows_with_its_square():
    for hostile in (b'["' + b"\\" * 1_000_001, b"[" + b"a" * 1_000_000, b"[" + b'""' * 500_000, b"[" * 1_000_000):
        with pytest.raises(Refusal):
            split.elements(hostile, 10_000)
