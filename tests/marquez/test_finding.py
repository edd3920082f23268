"""Search, statistics and events: what narrows them, and what they count."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from tests.marquez.events import DB, JOBS, columns, dataset, dataset_event, event, facet, node, run_id


async def test_search_finds_what_is_inside_a_name_whatever_the_case(send, get):
    await send(event("COMPLETE", 1, "Load_Orders", ["public.orders", "ORDERS_raw"], [dataset("x", "other")]))
    found = await get("/search", q="oRDer")
    assert [each["name"] for each in found["results"]] == ["Load_Orders", "ORDERS_raw", "public.orders"]
    assert found["totalCount"] == 3
    assert {each["nodeId"] for each in found["results"]} >= {node("job", "Load_Orders"), f"dataset:{DB}:public.orders"}
    assert [each["name"] for each in (await get("/search", q="order", filter="job"))["results"]] == ["Load_Orders"]
    assert (await get("/search", q="order", namespace=DB))["totalCount"] == 2
    assert (await get("/search", q="nothing like it"))["results"] == []


@pytest.mark.parametrize("text", ["x", "é", "%", "_", "a%b", '"', "ÜNÏ", "表", "x AND y", "*"])
async def test_search_takes_every_text_as_it_is(send, get, text):
    await send(event("COMPLETE", 1, f"before {text} after", ["none of them"]))
    assert [each["name"] for each in (await get("/search", q=text))["results"]] == [f"before {text} after"]


async def test_search_pages_sorts_and_narrows_by_day(send, get):
    for at in range(5):
        await send(event("COMPLETE", at + 1, f"job_{at}", time=f"2025-01-0{5 - at}T12:00:00Z"))
    first = await get("/search", q="job", limit=2)
    assert ([each["name"] for each in first["results"]], first["totalCount"]) == (["job_0", "job_1"], 5)
    assert [each["name"] for each in (await get("/search", q="job", limit=2, offset=4))["results"]] == ["job_4"]
    newest = await get("/search", q="job", sort="UPDATE_AT", limit=2)
    assert [each["updatedAt"][:10] for each in newest["results"]] == ["2025-01-05", "2025-01-04"]
    some = await get("/search", q="job", after="2025-01-02", before="2025-01-04")
    assert sorted(each["updatedAt"][:10] for each in some["results"]) == ["2025-01-02", "2025-01-03"]


async def test_search_leaves_out_what_was_deleted(client, send, get):
    await send(event("COMPLETE", 1, "gone", ["t"]))
    assert (await client.delete(f"/namespaces/{JOBS}/jobs/gone")).status_code == 200
    assert (await get("/search", q="gone"))["totalCount"] == 0


async def test_search_does_not_show_the_catalog(client, get):
    assert (await client.put("/tags/mytag", json={"description": "d"})).status_code == 200
    assert (await get("/search", q="mytag"))["totalCount"] == 0


async def test_search_beta(client, send):
    columns_of_b = facet(fields={"y": {"inputFields": [{"namespace": DB, "name": "a", "field": "x"}]}})
    code = {"sourceCode": facet(language="SQL", sourceCode="select 1")}
    await send(event("COMPLETE", 1, "load_b", ["a"], [dataset("t_b", columnLineage=columns_of_b)], job_facets=code))
    beta = str(client.base_url).replace("/api/v1/", "/api/v2beta/search")
    jobs = (await client.get(f"{beta}/jobs", params={"q": "LOAD"})).json()
    assert [(hit["name"], hit["run_id"], hit["eventType"]) for hit in jobs["hits"]] == [
        ("load_b", run_id(1), "COMPLETE")
    ]
    assert jobs["hits"][0]["facets"]["sourceCode"]["sourceCode"] == "select 1"
    assert jobs["highlights"] == [{"name": ["<em>load</em>_b"]}]
    datasets = (await client.get(f"{beta}/datasets", params={"q": "t_"})).json()
    assert datasets["hits"][0]["facets"]["columnLineage"]["fields"]["y"]["inputFields"][0]["name"] == "a"


async def test_statistics_count_by_event_time(send, get):
    now = datetime.now(UTC).replace(microsecond=0)
    earlier = now - timedelta(hours=3)
    await send(
        event("START", 1, "j", ["a"], time=earlier.isoformat()),
        event("COMPLETE", 1, "j", [], ["b"], time=now.isoformat()),
    )
    day = await get("/stats/lineage-events", period="day")
    assert len(day) == 24
    assert [sum(each[word] for each in day) for word in ("start", "complete", "fail", "abort")] == [1, 1, 0, 0]
    assert all(before["endInterval"] == after["startInterval"] for before, after in pairwise(day))
    week = await get("/stats/lineage-events", period="WEEK", timezone="Europe/Berlin")
    assert len(week) == 7
    for what, count in (("jobs", 1), ("datasets", 2)):
        rows = await get(f"/stats/{what}", period="DAY")
        assert (rows[0]["count"], rows[-1]["count"]) == (0, count)
    assert len(await get("/stats/sources", period="WEEK")) == 7


@pytest.mark.parametrize(
    ("path", "params"),
    [
        ("/stats/jobs", {}),
        ("/stats/jobs", {"period": "YEAR"}),
        ("/stats/lineage-events", {"period": "WEEK"}),
        ("/stats/jobs", {"period": "WEEK", "timezone": "../etc/passwd"}),
        ("/search", {}),
        ("/search", {"q": " "}),
        ("/search", {"q": "x", "filter": "RUN"}),
        ("/search", {"q": "x", "after": "2025-02-30"}),
        ("/events/lineage", {"sortDirection": "up"}),
        ("/events/lineage", {"job": "j"}),
        ("/runlineage/upstream", {}),
        ("/column-lineage", {}),
    ],
)
async def test_what_cannot_be_read_is_refused(client, path, params):
    answer = await client.get(path, params=params)
    assert (answer.status_code, bool(answer.json()["errors"])) == (400, True)


async def test_events_by_namespace_job_run_and_kind(send, get):
    await send(
        event("COMPLETE", 1, "j", minute=1),
        event("COMPLETE", 2, "k", minute=2),
        event("COMPLETE", 3, "j", minute=3, namespace="other"),
        dataset_event(dataset("t"), minute=4),
    )
    ours = await get("/events/lineage", namespace=JOBS)
    assert ([each["run"]["runId"] for each in ours["events"]], ours["totalCount"]) == ([run_id(2), run_id(1)], 2)
    assert (await get("/events/lineage", namespace="other", limit=0))["totalCount"] == 1
    assert (await get("/events/lineage", namespace="nope"))["events"] == []
    one = await get("/events/lineage", namespace=JOBS, job="j")
    assert [each["run"]["runId"] for each in one["events"]] == [run_id(1)]
    assert (await get("/events/lineage", runId=run_id(3)))["totalCount"] == 1
    assert (await get("/events/lineage", kind="dataset"))["events"][0]["dataset"]["name"] == "t"
    paged = await get("/events/lineage", namespace=JOBS, sortDirection="asc", limit=1, offset=1)
    assert [each["run"]["runId"] for each in paged["events"]] == [run_id(2)]


async def test_events_keep_every_byte_but_the_time(client):
    raw = json.dumps(
        event("COMPLETE", 1, "j", time="2025-01-01T10:00:00.120+10:00",
              run_facets={"f": facet(eventTime="2020-01-01T00:00:00+01:00", big=0)})
    ).replace('"big": 0', '"big": 123456789012345678901234567890.10')  # fmt: skip
    posted = await client.post("/lineage", content=raw, headers={"content-type": "application/json"})
    assert posted.status_code == 201, posted.text
    text = (await client.get("/events/lineage")).text
    assert raw.replace("2025-01-01T10:00:00.120+10:00", "2025-01-01T00:00:00.12Z") in text


async def test_columns_downstream_of_a_source(send, get):
    lineage = facet(fields={"y": {"inputFields": [{"namespace": DB, "name": "a", "field": "x"}]}})
    schema = facet(fields=[{"name": "x", "type": "INT"}])
    await send(event("COMPLETE", 1, "j", [dataset("a", schema=schema)], [dataset("b", columnLineage=lineage)]))
    assert (await get("/column-lineage", nodeId=node("dataset", "a"), withDownstream=True))["graph"] == []
    for asked in (
        {"nodeId": node("dataset", "a"), "direction": "downstream"},
        {"nodeId": f"datasetField:{DB}:a:x", "withDownstream": True},
        {"namespace": DB, "name": "a", "kind": "dataset", "field": "x", "direction": "both"},
    ):
        assert columns(await get("/column-lineage", **asked)) == {("b.y", "a.x")}


async def test_columns_of_several_jobs_that_write_one_dataset(send, get):
    def made(field: str, source: str) -> dict[str, object]:
        return facet(fields={field: {"inputFields": [{"namespace": DB, "name": source, "field": "x"}]}})

    await send(
        event("COMPLETE", 1, "one", ["a"], [dataset("t", columnLineage=made("p", "a"))]),
        event("COMPLETE", 2, "two", ["b"], [dataset("t", columnLineage=made("q", "b"))], minute=1),
        event("START", 3, "two", ["b"], minute=2),
    )
    assert columns(await get("/column-lineage", nodeId=node("dataset", "t"))) == {("t.p", "a.x"), ("t.q", "b.x")}
    assert columns(await get("/column-lineage", nodeId=node("job", "two"))) >= {("t.q", "b.x")}
    early = await get("/column-lineage", nodeId=node("dataset", "t"), asOf="2025-01-01T00:00:30Z")
    assert columns(early) == {("t.p", "a.x")}


async def test_columns_name_what_only_the_facet_names(send, get):
    """dbt's ref() of a seed: an edge if some run lists the dataset."""
    lineage = facet(fields={"y": {"inputFields": [{"namespace": DB, "name": "seed", "field": "x"},
                                                  {"namespace": DB, "name": "cte_alias", "field": "z"}]}})  # fmt: skip
    await send(
        event("COMPLETE", 1, "seeder", [], ["seed"]),
        event("COMPLETE", 2, "model", [], [dataset("m", columnLineage=lineage)], minute=1),
    )
    assert columns(await get("/column-lineage", nodeId=node("dataset", "m"))) == {("m.y", "seed.x")}
    assert columns(await get("/column-lineage", nodeId=f"datasetField:{DB}:seed:x", direction="downstream")) == {
        ("m.y", "seed.x")
    }
