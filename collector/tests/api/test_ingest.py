"""POST /api/v1/lineage: what is taken, what is refused, and how it is said."""

from __future__ import annotations

import gzip
import json
from typing import Any

import httpx
import orjson
import pytest

from headwater.collector.pipeline.outcome import Outcome
from headwater.shared.errors import LogFullError, PermanentError, TransientError

URL = "/api/v1/lineage"


async def test_stored_is_201_with_an_empty_body_and_the_bytes_as_sent(client, direct, event):
    raw = json.dumps(event(), indent=1, ensure_ascii=False).encode()
    answer = await client.post(URL, content=raw)
    assert (answer.status_code, answer.content) == (201, b"")
    assert direct.took == [raw]
    assert (await client.get("/api/v1/events/lineage")).json() == {"totalCount": 1, "events": [event()]}


@pytest.mark.parametrize(
    "content_type",
    [
        None,
        "application/json",
        "application/json; charset=utf-8",
        "APPLICATION/JSON",
        "text/json",
        "application/vnd.openlineage+json",
    ],
)
async def test_json_or_no_content_type_is_read(client, event, content_type):
    headers = {"content-type": content_type} if content_type else {}
    assert (await client.post(URL, content=orjson.dumps(event()), headers=headers)).status_code == 201


@pytest.mark.parametrize("content_type", ["text/plain", "application/xml", "application/x-www-form-urlencoded", "json"])
async def test_another_content_type_is_415(client, direct, event, content_type):
    answer = await client.post(URL, content=orjson.dumps(event()), headers={"content-type": content_type})
    assert answer.status_code == 415
    assert content_type in answer.json()["message"]
    assert direct.took == []


NO_OBJECT = [
    (b"{", ""),
    (b"not json", ""),
    (b'{"a": NaN}', ""),
    (b"[]", "/api/v1/lineage/batch"),
    (b' \n [{"eventTime": 1}]', "/api/v1/lineage/batch"),
    (b'"text"', "object"),
    (b"1", "object"),
    (b"null", "object"),
    (b"\xff\xfe{}", ""),
    (b'{"a": "\xff"}', ""),
]


async def test_what_is_no_json_object_is_400(client, direct):
    for body, says in NO_OBJECT:
        answer = await client.post(URL, content=body)
        assert answer.status_code == 400, (body, answer.text)
        assert answer.json()["code"] == 400
        assert says in answer.json()["message"]
    assert direct.took == []


def without(event: dict[str, Any], *where: str) -> dict[str, Any]:
    target = event
    for key in where[:-1]:
        target = target[key]
    del target[where[-1]]
    return event


MISSING = [
    (("eventTime",), "eventTime"),
    (("producer",), "producer"),
    (("run", "runId"), "run.runId"),
    (("job",), "job"),
    (("job", "name"), "job.name"),
    (("job", "namespace"), "job.namespace"),
    (("inputs", 0, "name"), "inputs[0].name"),
]


async def test_no_body_is_422(client, direct):
    answer = await client.post(URL)
    assert (answer.status_code, answer.json()["errors"]) == (422, ["The request body must not be null"])
    assert direct.took == []


async def test_a_missing_field_is_422_and_named(client, event):
    for where, named in MISSING:
        answer = await client.post(URL, content=orjson.dumps(without(event(inputs=[("db", "a")]), *where)))
        assert answer.status_code == 422
        assert answer.json()["errors"] == [f"{named} must not be null"]


async def test_an_empty_event_is_refused_in_marquez_words(client):
    answer = await client.post(URL, content=b"{}")
    assert answer.status_code == 422
    assert answer.json()["errors"] == [
        f"{key} must not be null" for key in ("run", "job", "producer", "eventTime")
    ]  # fmt: skip


async def test_every_wrong_field_is_named_at_once(client, event):
    body = event(inputs=[("db", "a"), ("db", "")], outputs=[("", "b")])
    body["eventTime"] = "yesterday"
    body["job"] = {"namespace": 1}
    del body["run"]["runId"]
    answer = await client.post(URL, content=orjson.dumps(body))
    assert answer.status_code == 422
    named = {each.split(":")[0] for each in answer.json()["errors"]}
    assert named == {
        "/eventTime", "run.runId must not be null", "/job/namespace", "job.name must not be null", "/inputs/1/name",
        "/outputs/0/namespace",
    }  # fmt: skip


WRONG_VALUE = [
    b"{}",
    b'{"eventTime": "2026-01-01T00:00:00Z"}',
    b'{"eventTime": 12}',
    b'{"run": [], "job": "x"}',
    b'{"run": {"runId": "a\\u0000b"}}',
    b'{"a": 1, "a": 2}',
    b'{"a": 99999999999999999999999999}',
    b'{"a":' + b"[" * 500 + b"]" * 500 + b"}",
    b'{"inputs": {"a": 1}, "job": {"namespace": "n", "name": "m"}, "eventTime": "2026-01-01"}',
]


async def test_a_wrong_value_is_422(client, direct):
    for body in WRONG_VALUE:
        answer = await client.post(URL, content=body)
        assert answer.status_code == 422, (body, answer.text)
        assert answer.json()["errors"]
    assert direct.took == []


async def test_too_large_is_413(client, direct, event):
    body = event(facets={"big": {"text": "x" * 20_000}})
    answer = await client.post(URL, content=orjson.dumps(body))
    assert answer.status_code == 413
    assert "20000" in answer.json()["message"]

    async def chunks():
        for _ in range(30):
            yield b" " * 1000

    assert (await client.post(URL, content=chunks())).status_code == 413
    assert direct.took == []


async def test_chunks_are_joined(client, direct, event):
    raw = orjson.dumps(event())

    async def chunks():
        for index in range(0, len(raw), 100):
            yield raw[index : index + 100]

    assert (await client.post(URL, content=chunks())).status_code == 201
    assert direct.took == [raw]


async def test_gzip_is_read(client, direct, event):
    raw = orjson.dumps(event())
    for packed in (gzip.compress(raw), gzip.compress(raw[:50]) + gzip.compress(raw[50:])):
        answer = await client.post(URL, content=packed, headers={"content-encoding": "gzip"})
        assert answer.status_code == 201
    assert direct.took == [raw, raw]


async def test_gzip_is_bounded_by_what_it_unpacks_to(client):
    for size in (30_000, 100_000_000):
        packed = gzip.compress(b" " * size)
        answer = await client.post(URL, content=packed[:20_000], headers={"content-encoding": "gzip"})
        assert answer.status_code == 413, size


@pytest.mark.parametrize("damage", [lambda b: b[:-9], lambda b: b[:20], lambda b: b"x" + b, lambda b: b + b"rest"])
async def test_broken_gzip_is_400(client, direct, event, damage):
    packed = damage(gzip.compress(orjson.dumps(event())))
    answer = await client.post(URL, content=packed, headers={"content-encoding": "gzip"})
    assert answer.status_code == 400
    assert "gzip" in answer.json()["message"]
    assert direct.took == []


async def test_another_encoding_is_415(client, event):
    answer = await client.post(URL, content=orjson.dumps(event()), headers={"content-encoding": "br"})
    assert answer.status_code == 415


async def test_durable_and_not_stored_is_202_and_says_what_is_next(client, direct, event):
    for outcome in (Outcome.RETRY, Outcome.PENDING, Outcome.DEAD_LETTER):
        direct.outcome = outcome
        answer = await client.post(URL, content=orjson.dumps(event()))
        assert answer.status_code == 202
        assert answer.json()["status"] == outcome


@pytest.mark.parametrize(
    ("error", "after"),
    [(LogFullError("the log is full"), "5"), (TransientError("down", retry_after_s=30.4), "30")],
)
async def test_a_log_that_takes_nothing_is_503_with_retry_after(client, direct, event, error, after):
    direct.error = error
    for url, body in ((URL, event()), (f"{URL}/batch", [event()])):
        answer = await client.post(url, content=orjson.dumps(body))
        assert answer.status_code == 503
        assert answer.headers["retry-after"] == after
        assert str(error) in answer.json()["message"]


async def test_a_log_that_refuses_is_422(client, direct, event):
    direct.error = PermanentError("the record is larger than the broker takes")
    answer = await client.post(URL, content=orjson.dumps(event()))
    assert answer.status_code == 422


async def test_the_other_spelling_of_the_path_answers_alike(client: httpx.AsyncClient, event):
    for url in (f"{URL}/", "/api/v1/line%61ge"):
        assert (await client.post(url, content=orjson.dumps(event()))).status_code == 201
        assert (await client.post(url, content=b"{}")).status_code == 422


async def test_requests_are_counted_by_route_and_status(client, direct, event, send):
    await send(event())
    await client.post(URL, content=b"{")
    await client.get("/api/v1/namespaces/a%2Fb/jobs/c")
    await client.get("/nowhere/at/all")
    count = "headwater_http_requests_total"
    for method, route, status in (
        ("POST", URL, "201"),
        ("POST", URL, "400"),
        ("GET", "/api/v1/namespaces/{namespace}/jobs/{name}", "404"),
        ("GET", "none", "404"),
    ):
        labels = {"method": method, "route": route, "status": status}
        assert direct.registry.get_sample_value(count, labels) == 1, labels
