"""Any name works in every path and query, percent-encoded."""

from __future__ import annotations

import asyncio
from urllib.parse import quote

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.collector.api.nodes import readings
from headwater.collector.api.paths import encoded_path
from headwater.shared.event import Name

NAMES = [
    "a/b", "/", "//", "100%", "%2F", "%252F", "%zz", "x#y", "a?b=c&d", "s3://bucket/p", "日本", "é", "e\u0301", "🦆",
    "'", '"', "`", "<b>", " lead", "trail ", "a b", "a+b", "..", ".", "...", "a:b:c", "arn:aws:glue:eu:1:table/db/t",
    "a\\b", "a;b", "a,b", "@", "$", "|", "~", "[x]", "{y}", "null", "versions", "runs", "a\tb", "a\nb",
]  # fmt: skip


async def test_in_every_path(client, event, path):
    await store_all(client, event)
    for name in NAMES:
        await check_paths(client, path, "ns " + name, name)


async def store_all(client, event):
    events = [
        event(number, job=(f"ns {name}", name), inputs=[(f"ns {name}", name)], outputs=[(f"ns {name}", f"out {name}")])
        for number, name in enumerate(NAMES, 1)
    ]
    answer = await client.post("/api/v1/lineage/batch", content=orjson.dumps(events))
    assert answer.json()["summary"]["successful"] == len(NAMES)


async def check_paths(client, path, space, name):
    for prefix in ("/api/jobs", "/api/datasets", "/api/evidence", "/api/impact", "/api/upstream", "/api/lineage/job"):
        answer = await client.get(prefix + path(space, name))
        assert answer.status_code == 200, (prefix, answer.text)
    marquez = "/api/v1/namespaces"
    for kind in ("jobs", "datasets"):
        found = await client.get(marquez + path(space, kind, name))
        assert found.json()["id"] == {"namespace": space, "name": name}, found.text
        listed = (await client.get(marquez + path(space, kind))).json()
        assert {"namespace": space, "name": name} in [each["id"] for each in listed[kind]]
    assert (await client.get(marquez + path(space, "jobs", name, "runs"))).json()["totalCount"] == 1
    assert (await client.get(marquez + path(space, "datasets", "out " + name, "versions"))).json()["totalCount"] == 1
    assert (await client.get("/api/columns" + path(space, name, name))).status_code == 200
    assert (await client.get("/api/v1/namespaces" + path(space))).json()["name"] == space


async def test_in_every_query(client, event):
    await store_all(client, event)
    for name in NAMES:
        await check_queries(client, "ns " + name, name)


async def check_queries(client, space, name):
    for kind in ("job", "dataset"):
        asked = [
            {"nodeId": f"{kind}:{space}:{name}"},
            {"nodeId": f"{kind}:{quote(space, safe='')}:{quote(name, safe='')}"},
            {"namespace": space, "name": name, "kind": kind},
        ]
        for query in asked:
            answer = await client.get("/api/v1/lineage", params=query)
            assert answer.status_code == 200, (query, answer.text)
            ids = [node["id"] for node in answer.json()["graph"]]
            assert f"{kind}:{space}:{name}" in ids
    runs = await client.get("/api/runs", params={"namespace": space, "job": name})
    assert len(runs.json()["runs"]) == 1


async def test_an_ambiguous_node_is_what_exists_longest_namespace_first(client, send, event):
    await send(
        event(1, job=("jobs", "1"), inputs=[("a", "b:c:d")]),
        event(2, job=("jobs", "2"), inputs=[("a:b", "c:d")]),
        event(
            3,
            job=("jobs", "3"),
            inputs=[("hive://h:9083", "db.t"), ("trino://h:1337", "20240430_q"), ("jdbc:h2:mem:x", "A.B")],
        ),
    )

    async def resolved(node: str) -> set[tuple[str, str]]:
        graph = (await client.get("/api/v1/lineage", params={"nodeId": node, "depth": 0})).json()["graph"]
        return {(each["data"]["namespace"], each["data"]["name"]) for each in graph if each["type"] == "DATASET"}

    assert ("a:b", "c:d") in await resolved("dataset:a:b:c:d")
    assert ("a", "b:c:d") not in await resolved("dataset:a:b:c:d")
    for space, name in (("hive://h:9083", "db.t"), ("trino://h:1337", "20240430_q"), ("jdbc:h2:mem:x", "A.B")):
        assert (space, name) in await resolved(f"dataset:{space}:{name}")
    assert ("a", "b:c:d") in await resolved("dataset:a:b%3Ac%3Ad")


async def test_a_version_behind_a_node(client, send, event):
    await send(event(1, inputs=[("db", "t"), ("db", "u#v")]))
    for name in ("t", "u#v"):
        dataset = (await client.get(f"/api/v1/namespaces/db/datasets/{quote(name, safe='')}")).json()
        for version, status in ((dataset["currentVersion"], 200), ("7ef5e97e-2b6c-3a55-8e65-4ce6e8f47d2c", 404)):
            node = f"dataset:db:{name}#{version}"
            assert (await client.get("/api/v1/lineage", params={"nodeId": node})).status_code == status, node


async def test_a_node_with_very_many_colons(client, send, event):
    name = ":" * 2000 + "x"
    await send(event(1, inputs=[("ns", name)]))
    assert (await client.get("/api/v1/lineage", params={"nodeId": f"dataset:ns:{name}"})).status_code == 200
    assert (await client.get("/api/v1/lineage", params={"nodeId": "dataset:" + "x:" * 12_500})).status_code == 400


def test_every_split_is_a_candidate():
    assert list(readings("a:b:c")) == [(Name("a:b", "c"), None), (Name("a", "b:c"), None)]
    assert list(readings("a:b#c")) == [(Name("a", "b#c"), None), (Name("a", "b"), "c")]
    assert (Name("a:b", "c/d"), None) in list(readings("a%3Ab:c%2Fd"))
    assert list(readings("a")) == list(readings(":a")) == list(readings("a:")) == []


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), min_size=1, max_size=4))
def test_encoding_again_changes_nothing(segments):
    wanted = "/" + "/".join(quote(each, safe="") for each in segments)
    assert encoded_path({"raw_path": wanted.encode(), "path": ""}) == wanted
    twice = encoded_path({"raw_path": encoded_path({"raw_path": wanted.encode()}).encode()})
    assert twice == wanted


@pytest.mark.parametrize("raw", ["/a//", "/a", "/a/", "/%61"])
def test_one_spelling_of_a_path(raw):
    assert encoded_path({"raw_path": raw.encode(), "path": ""}) == "/a"
    assert encoded_path({"path": raw.replace("%61", "a")}) == "/a"


async def test_a_segment_that_is_no_utf8_is_400(client):
    answer = await client.get("/api/v1/namespaces/%FF/jobs/x")
    assert answer.status_code == 400
    assert "namespace" in answer.json()["message"]
    assert "UTF-8" in answer.json()["message"]


async def test_concurrent_questions(client, send, event):
    await send(*(event(number, job=("jobs", f"j/{number}")) for number in range(20)))
    answers = await asyncio.gather(*(client.get(f"/api/v1/namespaces/jobs/jobs/j%2F{number}") for number in range(20)))
    assert [answer.json()["name"] for answer in answers] == [f"j/{number}" for number in range(20)]
