"""Marquez's answers: its field names and types, nulls written."""

from __future__ import annotations

import pytest

from headwater.collector.api.marquez.versions import (
    core_uuid,
    cores_of,
    generation_uuid,
    name_uuid,
    run_generation_uuid,
)
from headwater.shared.event import Name

from_run = "00000001-0000-4000-8000-000000000000"


@pytest.fixture
def full(event):
    """START and COMPLETE of one run with everything on it."""
    start = event(1, "START", job=("jobs", "dag.task"), time="2026-01-01T00:00:00Z")
    done = event(
        1,
        job=("jobs", "dag.task"),
        inputs=[("db", "a")],
        outputs=[("db", "b")],
        time="2026-01-01T00:01:00.5Z",
        facets={
            "parent": {
                "run": {"runId": "00000009-0000-4000-8000-000000000000"},
                "job": {"namespace": "jobs", "name": "dag"},
            },
            "nominalTime": {"nominalStartTime": "2026-01-01T00:00:00+01:00"},
        },
    )
    done["job"]["facets"] = {
        "documentation": {"description": "what it does"},
        "sourceCodeLocation": {"type": "git", "url": "https://example.org/repo"},
        "jobType": {"processingType": "BATCH", "integration": "TEST", "jobType": "TASK"},
        "tags": {"tags": [{"key": "env", "value": "prod"}, {"key": "pii", "value": "true"}]},
    }
    done["inputs"][0]["inputFacets"] = {"custom": {"rows": 3}}
    done["outputs"][0] |= {
        "facets": {
            "schema": {
                "fields": [{"name": "x", "type": "INT"}, {"name": "y", "type": "STRUCT", "fields": [{"name": "z"}]}]
            },
            "columnLineage": {
                "fields": {
                    "x": {
                        "inputFields": [{"namespace": "db", "name": "a", "field": "w"}],
                        "transformationType": "IDENTITY",
                        "transformationDescription": "as it is",
                    }
                }
            },
            "dataSource": {"name": "warehouse", "uri": "db://x"},
            "documentation": {"description": "a table"},
        },
        "outputFacets": {"outputStatistics": {"rowCount": 3}},
    }
    return [start, done]


async def test_run(client, send, full):
    await send(*full)
    run = (await client.get(f"/api/v1/jobs/runs/{from_run}")).json()
    inputs, outputs = run.pop("inputDatasetVersions"), run.pop("outputDatasetVersions")
    version, facets = run.pop("jobVersion"), run.pop("facets")
    assert run == {
        "id": from_run,
        "createdAt": "2026-01-01T00:00:00Z",
        "updatedAt": "2026-01-01T00:01:00.5Z",
        "nominalStartTime": "2025-12-31T23:00:00Z",
        "nominalEndTime": None,
        "state": "COMPLETED",
        "startedAt": "2026-01-01T00:00:00Z",
        "endedAt": "2026-01-01T00:01:00.5Z",
        "durationMs": 60_500,
        "args": {
            "nominal_start_time": "2025-12-31T23:00:00Z",
            "run_id": "00000009-0000-4000-8000-000000000000",
            "name": "dag",
            "namespace": "jobs",
        },
        "contradiction": False,
    }
    assert {"parent", "nominalTime"} <= set(facets)
    assert (version["namespace"], version["name"]) == ("jobs", "dag.task")
    assert inputs == [
        {
            "datasetVersionId": {"namespace": "db", "name": "a", "version": run_generation_uuid(Name("db", "a"), None)},
            "facets": {"custom": {"rows": 3}},
            "generation": None,
            "grade": "unknown",
        }
    ]
    generation = f"~{from_run}"
    assert outputs == [
        {
            "datasetVersionId": {
                "namespace": "db", "name": "b", "version": run_generation_uuid(Name("db", "b"), generation)
            },
            "facets": {"outputStatistics": {"rowCount": 3}},
            "generation": generation,
            "status": "committed",
        }
    ]  # fmt: skip


async def test_job(client, send, full):
    await send(*full)
    job = (await client.get("/api/v1/namespaces/jobs/jobs/dag.task")).json()
    latest = job.pop("latestRuns")
    assert [run["id"] for run in latest] == [from_run]
    assert job.pop("latestRun") == latest[0]
    assert set(job.pop("facets")) == {"documentation", "sourceCodeLocation", "jobType", "tags"}
    assert len(job.pop("currentVersion")) == len(job.pop("parentJobUuid")) == 36
    assert job == {
        "id": {"namespace": "jobs", "name": "dag.task"},
        "type": "BATCH",
        "name": "dag.task",
        "simpleName": "task",
        "parentJobName": "dag",
        "createdAt": "2026-01-01T00:00:00Z",
        "updatedAt": "2026-01-01T00:01:00.5Z",
        "namespace": "jobs",
        "inputs": [{"namespace": "db", "name": "a"}],
        "outputs": [{"namespace": "db", "name": "b"}],
        "location": "https://example.org/repo",
        "description": "what it does",
        "labels": [],
        "tags": ["pii"],
        "owners": [],
    }
    parent = (await client.get("/api/v1/namespaces/jobs/jobs/dag")).json()
    assert parent["latestRun"]["state"] == "NEW", "a child never sets its parent's state"
    assert parent["latestRun"]["startedAt"] is None


async def test_dataset_and_its_versions(client, send, full):
    await send(*full)
    dataset = (await client.get("/api/v1/namespaces/db/datasets/b")).json()
    assert set(dataset.pop("facets")) == {"schema", "columnLineage", "dataSource", "documentation"}
    version = dataset.pop("currentVersion")
    generation = f"~{from_run}"
    assert version == generation_uuid(Name("db", "b"), generation)
    assert dataset == {
        "id": {"namespace": "db", "name": "b"},
        "type": "DB_TABLE",
        "name": "b",
        "physicalName": "b",
        "createdAt": "2026-01-01T00:01:00.5Z",
        "updatedAt": "2026-01-01T00:01:00.5Z",
        "namespace": "db",
        "sourceName": "warehouse",
        "fields": [
            {"name": "x", "type": "INT", "tags": [], "description": None},
            {"name": "y", "type": "STRUCT", "tags": [], "description": None},
            {"name": "y.z", "type": None, "tags": [], "description": None},
        ],
        "tags": [],
        "lastModifiedAt": None,
        "lastLifecycleState": "",
        "description": "a table",
        "columnLineage": [
            {
                "name": "x",
                "inputFields": [
                    {
                        "namespace": "db",
                        "dataset": "a",
                        "field": "w",
                        "transformationDescription": "as it is",
                        "transformationType": "IDENTITY",
                    }
                ],
                "transformationDescription": "as it is",
                "transformationType": "IDENTITY",
            }
        ],
        "deleted": False,
        "generation": generation,
        "canonical": {"namespace": "db", "name": "b"},
        "aliases": [],
        "allTags": [],
        "owners": [],
    }
    versions = (await client.get("/api/v1/namespaces/db/datasets/b/versions")).json()
    assert versions["totalCount"] == 1
    only = versions["versions"][0]
    assert only["version"] == version
    assert only["createdByRun"]["id"] == from_run
    assert only["fields"] == dataset["fields"]
    assert "outputStatistics" in only["facets"]
    assert set(only) >= {
        "id", "type", "name", "physicalName", "createdAt", "namespace", "sourceName", "tags", "lifecycleState",
        "description", "currentSchemaVersion",
    }  # fmt: skip


async def test_graph(client, send, full, event):
    await send(*full, event(2, job=("jobs", "next"), inputs=[("db", "b")], outputs=[("db", "c")]))
    answer = (await client.get("/api/v1/lineage", params={"nodeId": "job:jobs:dag.task", "depth": 0})).json()
    nodes = {node["id"]: node for node in answer["graph"]}
    assert list(nodes) == ["dataset:db:a", "dataset:db:b", "job:jobs:dag.task"]
    into = {"origin": "dataset:db:a", "destination": "job:jobs:dag.task"}
    out = {"origin": "job:jobs:dag.task", "destination": "dataset:db:b"}
    job = nodes["job:jobs:dag.task"]
    assert (job["type"], job["inEdges"], job["outEdges"]) == ("JOB", [into], [out])
    assert nodes["dataset:db:a"]["outEdges"] == [into]
    assert nodes["dataset:db:b"]["inEdges"] == [out]
    assert nodes["dataset:db:b"]["outEdges"] == [], "edges to nodes beyond the depth are left out"
    assert job["data"]["currentRunUuid"] == job["data"]["latestRun"]["id"] == from_run
    assert "latestRuns" not in job["data"]
    assert "facets" not in nodes["dataset:db:b"]["data"]
    assert (answer["truncated"], answer["truncatedBy"]) == (True, "depth")
    answer = (await client.get("/api/v1/lineage/", params={"nodeId": "dataset:db:c", "depth": 5})).json()
    assert len(answer["graph"]) == 5
    assert answer["truncated"] is False


async def test_jobs_are_listed_by_last_change_and_state(client, send, event):
    await send(*(event(number, "FAIL" if number % 2 else "COMPLETE", job=("jobs", f"j{number}"),
                       time=f"2026-01-0{number + 1}T00:00:00Z") for number in range(6)))  # fmt: skip
    page = (await client.get("/api/v1/jobs", params={"limit": 2, "offset": 1})).json()
    assert page["totalCount"] == 6
    assert [job["name"] for job in page["jobs"]] == ["j4", "j3"]
    failed = (await client.get("/api/v1/namespaces/jobs/jobs?lastRunStates=FAILED&limit=2")).json()
    assert [job["name"] for job in failed["jobs"]] == ["j5", "j3"]
    assert (await client.get("/api/v1/jobs?lastRunStates=BOGUS")).status_code == 400
    assert (await client.get("/api/v1/namespaces/nope/jobs")).json() == {"totalCount": 0, "jobs": []}


async def test_runs_of_a_job_by_page(client, send, event):
    await send(*(event(number, time=f"2026-01-01T00:00:0{number}Z") for number in range(5)))
    page = (await client.get("/api/v1/namespaces/jobs/jobs/j/runs?limit=2&offset=1")).json()
    assert page["totalCount"] == 5
    assert [run["id"][:8] for run in page["runs"]] == ["00000003", "00000002"]


async def test_run_facets(client, send, full):
    await send(*full)
    url = f"/api/v1/jobs/runs/{from_run}/facets"
    assert set((await client.get(url, params={"type": "run"})).json()["facets"]) == {"parent", "nominalTime"}
    assert "sourceCodeLocation" in (await client.get(url, params={"type": "JOB"})).json()["facets"]
    assert (await client.get(url)).json()["errors"] == ["query param type must not be null"]
    assert (await client.get(url, params={"type": "x"})).status_code == 400


async def test_namespaces(client, send, full):
    await send(*full)
    page = (await client.get("/api/v1/namespaces")).json()
    assert [each["name"] for each in page["namespaces"]] == ["db", "jobs"]
    assert set(page["namespaces"][0]) == {"name", "createdAt", "updatedAt", "ownerName", "description", "isHidden"}
    assert (await client.get("/api/v1/namespaces/db")).json() == page["namespaces"][0]


async def test_events_by_time(client, send, event):
    await send(*(event(number, time=f"2026-01-0{number + 1}T00:00:00Z") for number in range(5)))

    async def asked(**query) -> list[str]:
        answer = (await client.get("/api/v1/events/lineage", params=query)).json()
        return [each["eventTime"][8:10] for each in answer["events"]]

    assert await asked() == ["05", "04", "03", "02", "01"]
    assert await asked(sortDirection="ASC", limit=2, offset=1) == ["02", "03"]
    assert await asked(after="2026-01-02T00:00:00Z", before="2026-01-04T01:00:00+01:00") == ["03", "02"]
    assert await asked(runId="00000002-0000-4000-8000-000000000000") == ["03"]
    assert (await client.get("/api/v1/events/lineage?sortDirection=up")).status_code == 400
    assert (await client.get("/api/v1/events/lineage?before=x")).status_code == 400
    assert (await client.get("/api/v1/events/lineage?before=2026-01-02T00:00:00+01:00")).json()["totalCount"] == 1


async def test_a_symlinked_dataset_answers_under_each_name(client, send, event):
    body = event(1, outputs=[("s3://b", "p")])
    body["outputs"][0]["facets"] = {
        "symlinks": {"identifiers": [{"namespace": "hive://h:1", "name": "db.t", "type": "TABLE"}]}
    }
    await send(body)
    found = (await client.get("/api/v1/namespaces/hive%3A%2F%2Fh%3A1/datasets/db.t")).json()
    assert found["id"] == {"namespace": "hive://h:1", "name": "db.t"}
    assert found["physicalName"] == "p"
    graph = (await client.get("/api/v1/lineage?nodeId=dataset:hive://h:1:db.t")).json()["graph"]
    assert [node["id"] for node in graph] == ["dataset:s3://b:p", "job:jobs:j"]


async def test_malformed_facets_never_break_an_answer(client, send, event):
    odd = [None, 1, "x", [], {}, {"fields": 3}, {"fields": [1, {"name": 2}]}, {"tags": [{"key": 1}]}, {"run": 1}]
    names = (
        "schema",
        "tags",
        "documentation",
        "columnLineage",
        "dataSource",
        "parent",
        "nominalTime",
        "symlinks",
        "jobType",
    )
    for number, value in enumerate(odd):
        body = event(number, inputs=[("db", f"in{number}")], outputs=[("db", f"out{number}")])
        broken = dict.fromkeys(names, value)
        body["run"]["facets"] = body["job"]["facets"] = broken
        body["inputs"][0]["facets"] = body["outputs"][0]["facets"] = broken
        await send(body)
    for url in ("/api/v1/jobs", "/api/v1/namespaces/db/datasets", "/api/v1/lineage?nodeId=job:jobs:j"):
        assert (await client.get(url)).status_code == 200, url


def test_versions_are_stable():
    assert name_uuid("a") == "0cc175b9-c0f1-36a8-b1c3-99e269772661", "as java.util.UUID.nameUUIDFromBytes"
    for generation in (None, "7ef5e97e-2b6c-3a55-8e65-4ce6e8f47d2c", f"~{from_run}", "12"):
        both = (generation_uuid, run_generation_uuid)
        ours = {each(Name(*name), generation) for each in both for name in ("ab", "ba")}
        assert len(ours) == 4, "one for each dataset and use"
        for version in (generation_uuid(Name("a", "b"), generation), run_generation_uuid(Name("a", "b"), generation)):
            assert core_uuid(generation) in cores_of(Name("a", "b"), version)
    assert list(cores_of(Name("a", "b"), "xyz")) == []


async def test_a_dataset_that_a_run_wrote_under_two_names_is_one_output(client, event, send):
    """One name was committed in the middle of a run that failed, the other was not: there is one generation, and it is
    committed."""
    link = {"identifiers": [{"namespace": "hive", "name": "b", "type": "TABLE"}]}
    written = event(1, "RUNNING", outputs=[("db", "b"), ("hive", "b")])
    written["outputs"][0] |= {"facets": {"symlinks": link}, "outputFacets": {"headwater_commit": {}}}
    await send(written, event(1, "FAIL", time="2026-01-01T00:01:00Z"))
    shown = (await client.get("/api/v1/namespaces/jobs/jobs/j")).json()
    (output,) = shown["latestRun"]["outputDatasetVersions"]
    assert output["status"] == "committed"
    for path in (
        "/api/v1/lineage?nodeId=job:jobs:j",
        "/api/v1/lineage?nodeId=dataset:hive:b",
        "/api/v1/namespaces/jobs/jobs/j/runs",
        "/api/v1/jobs",
        f"/api/v1/jobs/runs/{from_run}",
        f"/api/runs/{from_run}",
    ):
        answer = await client.get(path)
        assert answer.status_code == 200, (path, answer.text)
