"""headwater's own questions over HTTP: evidence, impact, columns, logical runs, and errors that tell what is wrong."""

from __future__ import annotations

from urllib.parse import quote

import pytest

START = "00000001-0000-4000-8000-000000000000"


@pytest.fixture
def chain(event):
    """a -> b -> c, with versions, columns, a failed and a good attempt of the second step."""

    def versioned(mention, version, columns=None):
        mention["facets"] = {"version": {"datasetVersion": version}}
        if columns:
            mention["facets"]["columnLineage"] = {"fields": columns}

    first = event(1, job=("jobs", "one"), inputs=[("db", "a")], outputs=[("db", "b")], time="2026-01-01T00:00:00Z")
    versioned(first["inputs"][0], "a1")
    versioned(first["outputs"][0], "b1")
    nominal = {"nominalTime": {"nominalStartTime": "2026-01-01T00:00:00Z"}}
    failed = event(2, "FAIL", job=("jobs", "two"), inputs=[("db", "b")], outputs=[("db", "c")], facets=nominal,
                   time="2026-01-01T01:00:00Z")  # fmt: skip
    versioned(failed["outputs"][0], "c0")
    good = event(3, job=("jobs", "two"), inputs=[("db", "b")], outputs=[("db", "c")], facets=nominal,
                 time="2026-01-01T02:00:00Z")  # fmt: skip
    versioned(good["inputs"][0], "b1")
    columns = {"y": {"inputFields": [{"namespace": "db", "name": "b", "field": "x"}]}}
    versioned(good["outputs"][0], "c1", columns)
    return [first, failed, good]


async def test_evidence(client, send, chain):
    await send(*chain)
    answer = (await client.get("/api/evidence/db/c?depth=2")).json()
    assert (answer["generation"], answer["status"]) == ("c1", "published")
    assert answer["run"]["runId"].startswith("00000003")
    assert [(each["dataset"]["name"], each["version"]) for each in answer["edges"]] == [("b", "b1")]
    assert answer["sources"][0]["generation"] == "b1"
    assert [each["version"] for each in answer["diagnostics"]["candidates"]] == ["c0"]
    answer = (await client.get("/api/evidence/db/c?generation=c0")).json()
    assert (answer["status"], answer["run"]) == ("candidate", None)
    assert (await client.get("/api/evidence/db/c?generation=nope")).json()["status"] == "unknown"
    assert (await client.get("/api/evidence/db/nope")).status_code == 404


async def test_a_conflict_is_an_answer(client, send, chain, event):
    again = event(4, job=("jobs", "two"), outputs=[("db", "c")], time="2026-01-01T03:00:00Z")
    again["outputs"][0]["facets"] = {"version": {"datasetVersion": "c1"}}
    await send(*chain, again)
    answer = await client.get("/api/evidence/db/c?generation=c1")
    assert answer.status_code == 200
    assert answer.json()["status"] == "conflict"
    assert [run[:8] for run in answer.json()["conflict"]] == ["00000003", "00000004"]


async def test_impact_and_upstream(client, send, chain):
    await send(*chain)
    answer = (await client.get("/api/impact/db/b?generation=b1")).json()
    assert [(each["dataset"]["name"], each["version"]) for each in answer["reached"]] == [("c", "c1")]
    answer = (await client.get("/api/upstream/db/c?max_depth=1")).json()
    assert [(each["dataset"]["name"], each["version"]) for each in answer["reached"]] == [("b", "b1")]
    assert answer["truncated"] is True


def marked(name, facet, time, **said):
    facets = {facet: {"_producer": "https://e.org", "_schemaURL": "https://e.org/1", **said}}
    return {"eventTime": time, "producer": "https://e.org", "schemaURL": "https://e.org/2",
            "dataset": {"namespace": "db", "name": name, "facets": facets}}  # fmt: skip


async def test_withdrawn_bad_and_the_past(client, send, chain):
    await send(
        *chain,
        marked("c", "headwater_withdrawal", "2026-01-02T00:00:00Z", generations=["c1"], reason="wrong"),
        marked("b", "headwater_bad", "2026-01-03T00:00:00Z", generations=["b1"], reason="half a file", author="ann"),
    )
    answer = (await client.get("/api/evidence/db/c?generation=c1&depth=2")).json()
    assert (answer["status"], answer["current"], answer["withdrawn"]["reason"]) == ("published", False, "wrong")
    assert [(one["kind"], one["stands"]) for one in answer["marks"]] == [("withdrawn", True)]
    assert answer["taintedBy"] == [{"dataset": {"namespace": "db", "name": "b"}, "version": "b1"}]
    assert answer["edges"][0]["bad"]["author"] == "ann"
    assert (await client.get("/api/evidence/db/c")).json()["generation"] is None
    past = (await client.get("/api/evidence/db/c?asOf=2026-01-01T12:00:00%2B01:00")).json()
    assert (past["generation"], past["asOf"], past["withdrawn"]) == ("c1", "2026-01-01T11:00:00Z", None)
    impact = (await client.get("/api/impact/db/b?generation=b1&consumers=true")).json()
    assert [(each["version"], each["tainted"]) for each in impact["reached"]] == [("c1", True)]
    assert {run["runId"][:8] for run in impact["consumers"]["runs"]} == {"00000002", "00000003"}
    assert (await client.get("/api/impact/db/b?asOf=2026-01-01T01:30:00Z")).json()["reached"] == []
    assert (await client.get("/api/upstream/db/c?generation=c1")).json()["taintedBy"]
    key = quote("jobs/two/2026-01-01T00:00:00Z", safe="")
    logical = (await client.get(f"/api/logical-runs/{key}")).json()
    assert (logical["winner"], logical["publication"]) == (None, [])
    before = (await client.get(f"/api/logical-runs/{key}?asOf=2026-01-01T03:00:00Z")).json()
    assert before["winner"][:8] == "00000003"
    assert before["publication"][0]["version"] == "c1"
    assert [attempt["inputs"][0]["version"] for attempt in before["attempts"]] == ["b1", "b1"]
    assert before["retries"][0]["changes"] == []
    assert (await client.get("/api/lineage/dataset/db/c?asOf=2025-12-31")).json()["edges"] == []


async def test_one_partition(client, send, event):
    def wrote(number, day, hour):
        said = event(number, job=("jobs", "daily"), inputs=[("db", "raw")], outputs=[("db", "t")],
                     time=f"2026-01-01T{hour:02}:00:00Z")  # fmt: skip
        for mention, version in ((said["inputs"][0], f"r{number}"), (said["outputs"][0], f"t{number}")):
            mention["facets"] = {"version": {"datasetVersion": version}}
        condition = {"type": "partition", "partitions": [{"dimensions": {"day": day}}]}
        said["outputs"][0]["outputFacets"] = {"subset": {"outputCondition": condition}}
        return said

    await send(wrote(1, "1", 1), wrote(2, "2", 2))
    answer = (await client.get("/api/evidence/db/t?partition=day%3D1")).json()
    assert (answer["generation"], answer["subset"]["partitions"]) == ("t1", [{"day": "1"}])
    up = (await client.get("/api/upstream/db/t?partition=day%3D1")).json()
    assert [each["version"] for each in up["reached"]] == ["r1"]
    down = (await client.get("/api/impact/db/raw?generation=r2&partition=day%3D2")).json()
    assert [each["version"] for each in down["reached"]] == ["t2"]


async def test_columns(client, send, chain):
    await send(*chain)
    answer = (await client.get("/api/columns/db/c/y")).json()
    assert (answer["dataset"], answer["column"]) == ({"namespace": "db", "name": "c"}, "y")
    assert [(each["dataset"]["name"], each["field"]) for each in answer["inputs"]] == [("b", "x")]
    assert answer["sources"]
    assert (await client.get("/api/columns/db/c/nope")).json()["inputs"] == []


async def test_a_logical_run_by_its_key(client, send, chain, path):
    await send(*chain)
    run = (await client.get(f"/api/runs/{START.replace('1', '3', 1)}")).json()
    assert run["attempt"] == 2
    answer = (await client.get("/api/logical-runs" + path(run["logicalKey"]))).json()
    assert answer["key"] == run["logicalKey"]
    assert answer["winner"] == run["runId"]
    assert (await client.get("/api/logical-runs/nope")).status_code == 404


async def test_runs_by_page_and_filter(client, send, chain):
    await send(*chain)
    page = (await client.get("/api/runs?limit=2")).json()
    assert (len(page["runs"]), page["truncated"]) == (2, True)
    rest = (await client.get("/api/runs", params={"limit": 2, "after": page["next"]})).json()
    assert (len(rest["runs"]), rest["truncated"]) == (1, False)
    assert len((await client.get("/api/runs?status=FAILED")).json()["runs"]) == 1
    assert len((await client.get("/api/runs?namespace=jobs&job=two&since=2026-01-01T01:30:00Z")).json()["runs"]) == 1


async def test_counts_fingerprint_and_the_graph(client, send, chain):
    await send(*chain)
    assert (await client.get("/api/counts")).json()["runs"] == 3
    assert len((await client.get("/api/fingerprint")).json()["fingerprint"]) == 64
    graph = (await client.get("/api/lineage/dataset/db/c?up=1&down=0")).json()
    assert {"job:jobs:two", "dataset:db:b"} <= {node["id"] for node in graph["nodes"]}
    assert (await client.get("/api/lineage/job/db/nope")).status_code == 404
    assert (await client.get("/api/jobs/jobs/two")).json()["name"] == {"namespace": "jobs", "name": "two"}
    assert (await client.get("/api/datasets/db/c")).json()["current"] == "c1"
    assert (await client.get("/api/datasets/db/nope")).status_code == 404
    assert (await client.get("/api/jobs/db/nope")).status_code == 404


WRONG = [
    ("/api/v1/jobs?limit=-1", "limit"),
    ("/api/v1/jobs?limit=-1", "limit"),
    ("/api/v1/jobs?limit=99999999999999999999999", "limit"),
    ("/api/v1/namespaces/a/jobs/b/runs?offset=-1", "offset"),
    ("/api/v1/namespaces/a/datasets/b/versions?limit=-1", "limit"),
    ("/api/v1/lineage", "nodeId"),
    ("/api/v1/lineage?namespace=a", "nodeId"),
    ("/api/v1/lineage?namespace=a&name=b&kind=table", "kind"),
    ("/api/v1/lineage?nodeId=dataset:a:b&depth=x", "depth"),
    ("/api/v1/lineage?nodeId=dataset:a:b&depth=99999999999", "depth"),
    ("/api/v1/events/lineage?after=x", "after"),
    ("/api/evidence/a/b?depth=0", "depth"),
    ("/api/impact/a/b?limit=0", "limit"),
    ("/api/impact/a/b?asOf=yesterday", "asOf"),
    ("/api/evidence/a/b?asOf=x", "asOf"),
    ("/api/upstream/a/b?partition=day", "partition"),
    ("/api/runs?status=DONE", "status"),
    ("/api/runs?since=yesterday", "since"),
    ("/api/runs?job=x", "namespace"),
    ("/api/runs?after=x", "after"),
    ("/api/deadletters?state=x", "state"),
]


async def test_a_wrong_parameter_is_400_and_named(client):
    for url, named in WRONG:
        answer = await client.get(url)
        assert answer.status_code == 400, (url, answer.text)
        assert named in answer.json()["message"], url
        assert answer.json()["errors"]


NOT_THERE = [
    ("/api/v1/lineage?nodeId=dataset:nope:nope", "not found"),
    ("/api/v1/lineage?nodeId=bogus", "dataset:NAMESPACE:NAME"),
    ("/api/v1/lineage?nodeId=run:00000001-0000-4000-8000-000000000000", "must be of type dataset or job"),
    ("/api/v1/lineage?namespace=a&name=b", "not found"),
    ("/api/v1/namespaces/nope", "Namespace 'nope' not found."),
    ("/api/v1/namespaces/a/jobs/nope", "Job 'nope' not found."),
    ("/api/v1/namespaces/a/jobs/nope/runs", "Job 'nope' not found."),
    ("/api/v1/namespaces/nope/datasets", "Namespace 'nope' not found."),
    ("/api/v1/namespaces/a/datasets/nope", "Dataset 'nope' not found."),
    ("/api/v1/namespaces/a/datasets/nope/versions", "Dataset 'nope' not found."),
    ("/api/v1/jobs/runs/xyz", "Run 'xyz' not found."),
    ("/api/v1/jobs/runs/xyz/facets?type=run", "Run 'xyz' not found."),
    ("/api/runs/xyz", "not found"),
    ("/api/evidence/s3://bucket/p", "percent-encoded"),
    ("/nowhere", "nothing is at"),
]


async def test_not_found_is_404_and_says_what(client):
    for url, says in NOT_THERE:
        answer = await client.get(url)
        assert answer.status_code == 404, (url, answer.text)
        assert answer.json()["code"] == 404
        assert says in answer.json()["message"], url


async def test_the_wrong_method_is_405(client):
    answer = await client.delete("/api/v1/lineage")
    assert answer.status_code == 405
    assert answer.json()["code"] == 405
    assert answer.headers["allow"] == "GET, HEAD, OPTIONS, POST"
    answer = await client.patch("/api/v1/namespaces/a")
    assert answer.headers["allow"] == "DELETE, GET, HEAD, OPTIONS, PUT"


async def test_head_is_get_without_the_body(client):
    whole = await client.get("/api/v1/namespaces")
    answer = await client.head("/api/v1/namespaces")
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["content-length"] == str(len(whole.content))
    assert (await client.head("/api/v1/namespaces/nope")).status_code == 404
    assert (await client.head("/api/v1/lineage/batch")).status_code == 405


async def test_options_says_what_a_path_takes(client):
    answer = await client.options("/api/v1/tags/x")
    assert (answer.status_code, answer.headers["allow"]) == (200, "GET, HEAD, OPTIONS, PUT")
    assert (await client.options("/nowhere")).status_code == 404


async def test_a_run_id_that_is_no_uuid_finds_its_run(client, send, event):
    body = event(1)
    body["run"]["runId"] = "my run/1"
    await send(body)
    for url in ("/api/runs/my%20run%2F1", "/api/v1/jobs/runs/my%20run%2F1"):
        assert (await client.get(url)).status_code == 200
