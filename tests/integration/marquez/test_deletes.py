"""Soft deletes: hidden and cut off, undone by the next event, by event time."""

from __future__ import annotations

import httpx

from tests.integration.marquez.events import dataset, event, facet, get, run_id, send, write
from tests.integration.marquez.serving import Stored, served
from tests.support.worlds import World

FIRST = [
    event("COMPLETE", 1, "one", [dataset("a")], [dataset("b")]),
    event("COMPLETE", 2, "two", [dataset("b")], [dataset("c")], time="2025-01-01T00:01:00Z"),
]
AGAIN = event("COMPLETE", 3, "two", [dataset("b")], [dataset("c")], time="2025-01-02T00:00:00Z")


async def graph(client: httpx.AsyncClient, node: str) -> list[str]:
    found = await get(client, f"/lineage?nodeId={node}")
    return [each["id"].partition(":")[2] for each in found["graph"]]


async def jobs(client: httpx.AsyncClient, path: str = "/namespaces/ns/jobs") -> tuple[int, set[str]]:
    found = await get(client, path)
    return found["totalCount"], {each["name"] for each in found["jobs"]}


async def test_a_deleted_job_is_hidden_and_cuts_paths_until_it_runs_again(client: httpx.AsyncClient) -> None:
    await send(client, *FIRST)
    assert await graph(client, "job:ns:one") == ["db:a", "db:b", "db:c", "ns:one", "ns:two"]
    assert (await write(client, "DELETE", "/namespaces/ns/jobs/two"))["name"] == "two"
    await get(client, "/namespaces/ns/jobs/two", 404)
    await get(client, "/namespaces/ns/jobs/two/runs", 404)
    await get(client, "/namespaces/ns/jobs/two/versions", 404)
    await get(client, "/lineage?nodeId=job:ns:two", 404)
    await write(client, "DELETE", "/namespaces/ns/jobs/two", status=404)
    assert await jobs(client) == await jobs(client, "/jobs") == (1, {"one"})
    assert await graph(client, "job:ns:one") == ["db:a", "db:b", "ns:one"]
    assert (await get(client, f"/jobs/runs/{run_id(2)}"))["state"] == "COMPLETED", "history stays"
    await send(client, AGAIN)
    job = await get(client, "/namespaces/ns/jobs/two")
    assert (job["updatedAt"], [run["id"] for run in job["latestRuns"]]) == (
        "2025-01-02T00:00:00Z",
        [run_id(3), run_id(2)],
    )
    assert await jobs(client) == (2, {"one", "two"})
    assert await graph(client, "job:ns:one") == ["db:a", "db:b", "db:c", "ns:one", "ns:two"]


async def test_a_deleted_dataset_is_hidden_under_all_its_names(client: httpx.AsyncClient) -> None:
    links = facet(identifiers=[{"namespace": "hive", "name": "b", "type": "TABLE"}])
    await send(client, FIRST[0] | {"outputs": [dataset("b", symlinks=links)]}, FIRST[1])
    assert (await get(client, "/namespaces/hive/datasets"))["totalCount"] == 1, "a symlink's name is listed"
    await write(client, "DELETE", "/namespaces/hive/datasets/b")
    for namespace in ("db", "hive"):
        await get(client, f"/namespaces/{namespace}/datasets/b", 404)
    assert (await get(client, "/namespaces/hive/datasets"))["totalCount"] == 0
    assert [each["name"] for each in (await get(client, "/namespaces/db/datasets"))["datasets"]] == ["a", "c"]
    assert await graph(client, "job:ns:one") == ["db:a", "ns:one"]
    await send(client, AGAIN)
    assert (await get(client, "/namespaces/hive/datasets/b"))["id"] == {"namespace": "hive", "name": "b"}
    assert await graph(client, "job:ns:one") == ["db:a", "db:b", "db:c", "ns:one", "ns:two"]


async def test_a_deleted_namespace_hides_all_in_it_and_comes_back_with_one(client: httpx.AsyncClient) -> None:
    await send(client, *FIRST)
    await write(client, "DELETE", "/namespaces/ns")
    assert (await get(client, "/namespaces/ns"))["isHidden"] is True
    assert await jobs(client) == await jobs(client, "/jobs") == (0, set())
    await send(client, AGAIN)
    assert (await get(client, "/namespaces/ns"))["isHidden"] is False
    assert await jobs(client) == (1, {"two"})
    await write(client, "DELETE", "/namespaces/db")
    assert (await get(client, "/namespaces/db/datasets"))["totalCount"] == 0
    await write(client, "PUT", "/namespaces/db", {"ownerName": "me"})
    assert (await get(client, "/namespaces/db"))["isHidden"] is False


async def test_what_is_tagged_is_not_thereby_undeleted(client: httpx.AsyncClient) -> None:
    await send(client, *FIRST)
    before = await get(client, "/namespaces/db/datasets/b")
    await write(client, "POST", "/namespaces/db/datasets/b/tags/mine")
    assert (await get(client, "/namespaces/db/datasets/b"))["updatedAt"] == before["updatedAt"]
    await write(client, "DELETE", "/namespaces/db/datasets/b")
    await write(client, "POST", "/namespaces/db/datasets/b/tags/mine", status=404)
    await get(client, "/namespaces/db/datasets/b", 404)


async def test_all_of_it_survives_a_rebuild_in_any_order(services: Stored, client: httpx.AsyncClient) -> None:
    """The events that the API made of its writes, folded anew, backwards and twice, mean the same."""
    await send(client, *FIRST, event("COMPLETE", 9, "gone", namespace="old-ns"))
    await write(client, "PUT", "/namespaces/ns", {"ownerName": "me", "description": "mine"})
    await write(client, "PUT", "/sources/src", {"type": "POSTGRESQL", "connectionUrl": "jdbc:x", "description": "d"})
    await write(client, "PUT", "/tags/mine", {"description": "d"})
    await write(client, "POST", "/namespaces/db/datasets/b/tags/mine")
    await write(client, "POST", "/namespaces/ns/jobs/one/tags/mine")
    await write(client, "POST", "/namespaces/ns/jobs/one/tags/other")
    await write(client, "DELETE", "/namespaces/ns/jobs/one/tags/mine")
    body = {"type": "DB_TABLE", "physicalName": "p", "sourceName": "src", "fields": [{"name": "x", "tags": ["k"]}]}
    await write(client, "PUT", "/namespaces/ns/datasets/d", body)
    design = {"type": "BATCH", "inputs": [{"namespace": "ns", "name": "d"}], "outputs": [], "location": "http://x"}
    await write(client, "PUT", "/namespaces/ns/jobs/designed", design)
    await write(client, "POST", "/namespaces/ns/jobs/designed/runs", {"id": run_id(50), "args": {"a": "b"}}, 201)
    await write(client, "POST", f"/jobs/runs/{run_id(50)}/start")
    await write(client, "DELETE", "/namespaces/ns/jobs/two")
    await write(client, "DELETE", "/namespaces/db/datasets/c")
    await write(client, "DELETE", "/namespaces/old-ns")
    raw = [each.raw for each in services.events]
    before, mark = await _picture(client), await services.questions.fingerprint()
    from headwater.collector.questions import Questions
    from headwater.collector.stores.memory import MemoryLineageStore
    from tests.support.worlds import sqlite_world

    async with sqlite_world() as world:
        await world.take([[each] for each in reversed(raw)] + [raw])
        async with served(Stored(world)) as url, httpx.AsyncClient(base_url=url) as other:
            assert await _picture(other) == before
        assert await world.questions.fingerprint() == mark
    memory = MemoryLineageStore()
    world = World(memory, Questions(memory.reader()))
    await world.take([raw])
    async with served(Stored(world)) as url, httpx.AsyncClient(base_url=url) as other:
        assert await _picture(other) == before
    assert await world.questions.fingerprint() == mark


async def _picture(client: httpx.AsyncClient) -> list[object]:
    paths = (
        "/namespaces", "/namespaces/ns", "/sources", "/sources/src", "/tags", "/jobs", "/namespaces/ns/jobs",
        "/namespaces/db/datasets", "/namespaces/ns/datasets", "/namespaces/db/datasets/b", "/namespaces/ns/jobs/one",
        "/namespaces/ns/jobs/designed", f"/jobs/runs/{run_id(50)}", "/lineage?nodeId=job:ns:one",
    )  # fmt: skip
    found = [await get(client, path) for path in paths]
    for namespace in (*found[0]["namespaces"], found[1]):
        del namespace["createdAt"]  # the time of what came first, as with Marquez
        if namespace["name"] != "ns":
            del namespace["updatedAt"]  # the same
    return found
