"""Where Marquez is wrong: the right answers about namespaces, sources, datasets, jobs, runs and events that come in.

The step of the recorded file, or its label, stands with each test.
"""

from __future__ import annotations

import httpx

from tests.integration.marquez.events import dataset, event, facet, get, run_id, send, write

PARENT = {"parent": facet(run={"runId": run_id(80)}, job={"namespace": "ns", "name": "dag"})}


async def test_a_parent_job_has_no_state_of_its_childs(client: httpx.AsyncClient) -> None:
    """Steps 32 and 33."""
    await send(client, event("COMPLETE", 8, "dag.task", run_facets=PARENT))
    job, run = await get(client, "/namespaces/ns/jobs/dag"), await get(client, f"/jobs/runs/{run_id(80)}")
    assert job["latestRun"]["state"] == run["state"] == "NEW"
    assert (run["startedAt"], run["endedAt"], run["durationMs"]) == (None, None, None)
    await send(client, event("FAIL", 80, "dag", time="2025-01-01T00:01:00Z"))
    assert (await get(client, f"/jobs/runs/{run_id(80)}"))["state"] == "FAILED"


async def test_tags_and_ownership_facets_show(client: httpx.AsyncClient) -> None:
    """Step 39, and ``tags of the tags facet``."""
    tags = facet(tags=[{"key": "pii", "value": "true"}, {"key": "mail", "value": "true", "field": "x"}])
    owners = facet(owners=[{"name": "team:a", "type": "OWNER"}])
    described = dataset("t", tags=tags, ownership=owners, schema=facet(fields=[{"name": "x", "type": "INT"}]))
    await send(client, event("COMPLETE", 1, "j", [], [described]))
    found = await get(client, "/namespaces/db/datasets/t")
    assert found["tags"] == ["pii"]
    assert found["owners"] == [{"name": "team:a", "type": "OWNER"}]
    assert [each["tags"] for each in found["fields"]] == [["mail"]]


async def test_what_is_no_json_object_is_400(client: httpx.AsyncClient) -> None:
    """Steps 42 and 44."""
    for body in (b"{", b"[]"):
        answer = await client.post("/api/v1/lineage", content=body, headers={"content-type": "application/json"})
        assert answer.status_code == 400, answer.text
    assert "/api/v1/lineage/batch" in answer.json()["message"]


async def test_a_time_that_is_none_and_a_nul_are_422_and_named(client: httpx.AsyncClient) -> None:
    """Steps 51 and 63."""
    for body, where in (
        (event("COMPLETE", 1, "j", time="yesterday"), "/eventTime"),
        (event("COMPLETE", 1, "j\0x"), "/job/name"),
    ):
        answer = await client.post("/api/v1/lineage", json=body)
        assert answer.status_code == 422, answer.text
        assert where in answer.json()["errors"][0]


async def test_an_event_without_type_adds_facts_and_sets_no_state(client: httpx.AsyncClient) -> None:
    """Step 60."""
    await send(client, event(None, 1, "j", [dataset("a")]))
    run = await get(client, f"/jobs/runs/{run_id(1)}")
    assert (run["state"], len(run["inputDatasetVersions"])) == ("NEW", 1)


async def test_a_namespace_without_owner_is_422(client: httpx.AsyncClient) -> None:
    """Step 72."""
    answer = await write(client, "PUT", "/namespaces/put-ns", {"description": "no owner"}, 422)
    assert answer["errors"] == ["ownerName must not be null"]
    await get(client, "/namespaces/put-ns", 404)


async def test_a_negative_limit_of_versions_is_400(client: httpx.AsyncClient) -> None:
    """Step 101."""
    await send(client, event("COMPLETE", 1, "j", [], [dataset("b")]))
    answer = await get(client, "/namespaces/db/datasets/b/versions?limit=-1", 400)
    assert answer["errors"] == ["query param limit must be greater than or equal to 0"]


async def test_sources_are_listed(client: httpx.AsyncClient) -> None:
    """Step 153."""
    stated = dataset("a", dataSource=facet(name="warehouse", uri="postgres://db:5432"))
    await send(client, event("COMPLETE", 1, "j", [stated], [dataset("b")]))
    sources = (await get(client, "/sources"))["sources"]
    assert [(each["name"], each["type"], each["connectionUrl"]) for each in sources] == [
        ("default", "DEFAULT", ""),
        ("warehouse", "POSTGRES", "postgres://db:5432"),
    ]
    assert (await get(client, "/sources?limit=1&offset=1"))["sources"] == sources[1:]
    assert await get(client, "/sources/warehouse") == sources[1]
    assert (await get(client, "/namespaces/db/datasets/a"))["sourceName"] == "warehouse"


async def test_a_late_start_changes_no_state_and_takes_no_output(client: httpx.AsyncClient) -> None:
    """``run after a late START``."""
    await send(
        client,
        event("COMPLETE", 1, "late", [dataset("a")], [dataset("b")], time="2025-03-01T00:02:00Z"),
        event("START", 1, "late", [dataset("a")], [], time="2025-03-01T00:01:00Z"),
    )
    run = await get(client, f"/jobs/runs/{run_id(1)}")
    assert (run["state"], run["startedAt"], run["endedAt"]) == (
        "COMPLETED",
        "2025-03-01T00:01:00Z",
        "2025-03-01T00:02:00Z",
    )
    assert [each["datasetVersionId"]["name"] for each in run["outputDatasetVersions"]] == ["b"]


async def test_a_run_known_by_other_alone_is_new(client: httpx.AsyncClient) -> None:
    """``run known by OTHER alone``."""
    await send(client, event("OTHER", 1, "other"))
    assert (await get(client, f"/jobs/runs/{run_id(1)}"))["state"] == "NEW"


async def test_every_version_that_a_run_names_can_be_looked_up(client: httpx.AsyncClient) -> None:
    """``the version a run names, looked up``."""
    declared = dataset("declared", version=facet(datasetVersion="12"))
    uuid = dataset("uuid", version=facet(datasetVersion="7ef5e97e-2b6c-3a55-8e65-4ce6e8f47d2c"))
    await send(client, event("COMPLETE", 1, "j", [dataset("source")], [dataset("implied"), declared, uuid]))
    await send(client, event("FAIL", 2, "j", [], [dataset("candidate")], time="2025-01-01T00:01:00Z"))
    named = {}
    for number in (1, 2):
        run = await get(client, f"/jobs/runs/{run_id(number)}")
        for each in (*run["inputDatasetVersions"], *run["outputDatasetVersions"]):
            named[each["datasetVersionId"]["name"]] = each["datasetVersionId"]["version"]
    assert set(named) == {"source", "implied", "declared", "uuid", "candidate"}
    for name, version in named.items():
        found = await get(client, f"/namespaces/db/datasets/{name}/versions/{version}")
        writer = None if name == "source" else run_id(2 if name == "candidate" else 1)
        assert (found["createdByRun"] and found["createdByRun"]["id"]) == writer, name
        assert found["version"] != version, "Marquez has another one in its lists"
        assert await get(client, f"/namespaces/db/datasets/{name}/versions/{found['version']}") == found
    await get(client, f"/namespaces/db/datasets/implied/versions/{named['declared']}", 404)
    await get(client, "/namespaces/db/datasets/implied/versions/xyz", 404)
