"""Wants, partitions and job runs over HTTP: what a build system asks, long lists in pages, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import httpx
import pytest

from headwater.shared.codec import run_uuid

from .conftest import make_event, run_id

Json = dict[str, Any]
Send = Callable[..., Any]
FACET = {"_producer": "https://example.org/test", "_schemaURL": "https://example.org/test"}


def want(name: str, *partitions: str, comment: str | None = None, time: str = "2026-01-01T00:00:00Z") -> Json:
    """The event that says it; partitions are of the namespace ``db``."""
    named = [{"namespace": "db", "name": each} for each in partitions]
    facets = {"headwater_want": {**FACET, "partitions": named, "comment": comment}}
    dataset = {"namespace": "headwater:wants", "name": name, "facets": facets}
    return {"eventTime": time, "producer": FACET["_producer"], "schemaURL": FACET["_schemaURL"], "dataset": dataset}


def serving(number: int, *wants: str, **more: Any) -> Json:
    """A run that serves wants; ``missing``: and ends by a dep-miss, which asks for it by a want of that name."""
    facets: Json = {"headwater_wants": {**FACET, "wants": list(wants)}} if wants else {}
    if missing := more.pop("missing", None):
        asked = [{"id": f"want {missing}", "partitions": [{"namespace": "db", "name": missing}]}]
        facets["headwater_dep_miss"] = {**FACET, "missing": asked[0]["partitions"], "wants": asked}
    if key := more.pop("key", None):
        facets["headwater_attempt"] = {**FACET, "logicalKey": key}
    return make_event(number, facets=facets, **more)


async def walked(client: httpx.AsyncClient, path: str, name: str, limit: int) -> list[Json]:
    """All pages of one list of an answer; each says how many are left."""
    found: list[Json] = []
    query: dict[str, Any] = {"limit": limit}
    while True:
        answer = await client.get(path, params=query)
        assert answer.status_code == 200, answer.text
        page = answer.json()[name]
        found += page["items"]
        if page["next"] is None:
            assert page["more"] == 0
            return found
        assert len(page["items"]) <= limit
        assert page["more"] > 0
        query["after"] = page["next"]


async def test_a_dep_miss_a_derivative_want_and_a_later_success(client: httpx.AsyncClient, send: Send) -> None:
    await send(
        serving(2, "want b", inputs=[("db", "a")], outputs=[("db", "b")], time="2026-01-01T03:00:00Z"),
        serving(1, "w", kind="ABORT", inputs=[("db", "b")], missing="b", key="c", time="2026-01-01T02:00:00Z"),
        serving(3, "w", inputs=[("db", "b")], outputs=[("db", "c")], key="c", time="2026-01-01T04:00:00Z"),
        want("w", "c", comment="monday"),
    )
    answer = (await client.get("/api/wants/w")).json()
    assert (answer["id"], answer["comment"], answer["truncated"]) == (run_uuid("w"), "monday", False)
    (work,) = answer["jobRuns"]["items"]
    assert [(each["runId"], each["status"]) for each in work["attempts"]["items"]] == [
        (run_id(1), "DepMiss"),
        (run_id(3), "Succeeded"),
    ]
    assert (work["status"], work["runId"], answer["jobRuns"]["total"]) == ("Succeeded", run_id(3), 2)
    (partition,) = answer["partitions"]["items"]
    assert partition["instance"]["runId"] == run_id(3)
    (below,) = answer["derivativeWants"]["items"]
    assert below["expanded"]
    assert below["spawnedBy"]["items"][0]["runId"] == run_id(1)
    built = below["partitions"]["items"][0]["instance"]

    partition = (await client.get("/api/partitions/db/c")).json()
    assert partition["instance"]["uuid"] == answer["partitions"]["items"][0]["instance"]["uuid"]
    assert partition["built_by"]["wants"]["items"] == [{"id": run_uuid("w")}]
    assert [each["uuid"] for each in partition["built_by"]["read"]["items"]] == [built["uuid"]]
    assert [each["uuid"] for each in partition["upstream"]["items"]] == [built["uuid"]]
    below = (await client.get("/api/partitions/db/b")).json()
    (consumer,) = below["downstream"]["items"]
    assert consumer["runId"] == run_id(3)
    assert consumer["instances"]["items"][0]["uuid"] == partition["instance"]["uuid"]

    run = (await client.get(f"/api/job_runs/{run_id(1)}")).json()
    assert (run["status"], [each["status"] for each in run["history"]]) == ("DepMiss", ["DepMiss"])
    assert [each["id"] for each in run["derivativeWants"]["items"]] == [run_uuid("want b")]
    assert run["missing"]["items"] == [{"namespace": "db", "name": "b"}]
    assert [each["uuid"] for each in run["read"]["items"]] == [None]
    shallow = (await client.get("/api/wants/w?depth=0")).json()
    assert (shallow["truncatedBy"], shallow["derivativeWants"]["items"][0]["expanded"]) == ("depth", False)


async def test_a_fan_out_of_job_runs_comes_in_pages_each_once(client: httpx.AsyncClient, send: Send) -> None:
    """250 runs, each tenth a retry of the one before."""
    for number in range(1, 251):
        work = f"work {number - 1 if number % 10 == 0 else number}"
        await send(serving(number, "w", outputs=[("db", f"t{number}")], key=work))
    first = (await client.get("/api/wants/w")).json()["jobRuns"]
    attempts = sum(each["attempts"]["total"] for each in first["items"])
    assert (len(first["items"]), first["total"], first["more"]) == (100, 250, 250 - attempts)
    for limit in (7, 100, 1000):
        found = await walked(client, "/api/wants/w", "jobRuns", limit)
        runs = [run["runId"] for each in found for run in each["attempts"]["items"]]
        assert sorted(runs) == [run_id(number) for number in range(1, 251)]
        assert len(found) == 225


async def test_many_attempts_at_one_piece_of_work_are_one_entry(client: httpx.AsyncClient, send: Send) -> None:
    await send(*(serving(number, "w", kind="FAIL" if number < 30 else "COMPLETE", key="k") for number in range(1, 31)))
    await send(serving(31, "w"))
    answer = (await client.get("/api/wants/w", params={"limit": 5})).json()["jobRuns"]
    assert [each["attempts"]["total"] for each in answer["items"]] == [30, 1]
    assert (answer["items"][0]["attempts"]["more"], answer["more"], answer["next"]) == (25, 0, None)
    assert (answer["items"][0]["status"], answer["items"][0]["runId"]) == ("Succeeded", run_id(30))


async def test_a_fan_out_of_readers_comes_in_pages_each_once(client: httpx.AsyncClient, send: Send) -> None:
    """Some state the version that they read, some leave it to the time, some begin at one time."""
    made = make_event(1, outputs=[("db", "t")])
    made["outputs"][0]["facets"] = {"version": {**FACET, "datasetVersion": "v"}}
    await send(made)
    for number in range(2, 152):
        each = make_event(number, inputs=[("db", "t")], time=f"2026-01-02T00:{number // 10:02d}:00Z")
        if number % 3:
            each["inputs"][0]["facets"] = {"version": {**FACET, "datasetVersion": "v"}}
        await send(each)
        if number % 7 == 0:  # first without the version, then with it
            await send(make_event(number, "START", inputs=[("db", "t")], time="2026-01-02T00:00:00Z"))
    first = (await client.get("/api/partitions/db/t")).json()["downstream"]
    assert (len(first["items"]), first["total"], first["more"]) == (100, 150, 50)
    for limit in (13, 100, 150, 151):
        found = await walked(client, "/api/partitions/db/t", "downstream", limit)
        assert sorted(each["runId"] for each in found) == [run_id(number) for number in range(2, 152)]


async def test_the_other_long_lists(client: httpx.AsyncClient, send: Send) -> None:
    names = [f"p{number:03}" for number in range(120)]
    for number in range(1, 121):
        await send(
            make_event(number, outputs=[("db", "t")], time=f"2026-01-01T{number // 60:02d}:{number % 60:02d}:00Z")
        )
        await send(serving(500, *(f"w{number}" for number in range(120)), inputs=[("db", n) for n in names],
                           outputs=[("db", n) for n in names])) if number == 1 else None  # fmt: skip
        await send(serving(200 + number, "w0", kind="FAIL", missing=f"m{number}"))
    await send(want("w0", *names))
    older = await walked(client, "/api/partitions/db/t", "older", 50)
    assert [each["runId"] for each in older] == [run_id(number) for number in range(119, 0, -1)]
    for path, name, count in (
        (f"/api/job_runs/{run_id(500)}", "wants", 120),
        (f"/api/job_runs/{run_id(500)}", "read", 120),
        (f"/api/job_runs/{run_id(500)}", "wrote", 120),
        ("/api/wants/w0", "partitions", 120),
        ("/api/wants/w0", "derivativeWants", 120),
        ("/api/partitions/db/p000", "upstream", 120),
    ):
        found = await walked(client, path, name, 50)
        assert len(found) == len({repr(each) for each in found}) == count, name
    tree = (await client.get("/api/wants/w0?limit=120")).json()
    assert tree["truncatedBy"] == "wants"
    assert sum(each["expanded"] for each in tree["derivativeWants"]["items"]) == 99


async def test_references_to_partitions(client: httpx.AsyncClient, send: Send) -> None:
    await send(make_event(1, outputs=[("s3://lake", "orders/2026-11-29")]))
    wanted = (
        await client.get(f"/api/partitions/{quote('s3://lake', safe='')}/{quote('orders/2026-11-29', safe='')}")
    ).json()
    assert wanted["partition"] == {"namespace": "s3://lake", "name": "orders/2026-11-29"}
    version = wanted["instance"]["version"]
    for ref in (
        "s3://lake/orders/2026-11-29",
        "dataset:s3://lake:orders/2026-11-29",
        f"dataset:s3://lake:orders/2026-11-29#{version}",
    ):
        assert (await client.get(f"/api/partitions/{quote(ref, safe='')}")).json() == wanted, ref


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/wants/nobody", 404),
        ("/api/partitions/db/nothing", 404),
        ("/api/partitions/nothing", 404),
        ("/api/partitions/dataset:db:nothing", 404),
        (f"/api/job_runs/{run_id(99)}", 404),
        ("/api/wants/w?after=jobRuns:1:x", 400),
        ("/api/wants/w?after=older:1:x", 400),
        ("/api/wants/w?limit=0", 400),
        ("/api/partitions/db/t?after=downstream:1:x_y", 400),
        ("/api/partitions/db%2Ft?after=nothing", 400),
        (f"/api/job_runs/{run_id(1)}?after=wants:x:{run_id(1)}", 400),
    ],
)
async def test_what_is_refused(client: httpx.AsyncClient, send: Send, path: str, status: int) -> None:
    await send(serving(1, "w", outputs=[("db", "t")]))
    answer = await client.get(path)
    assert (answer.status_code, answer.json()["code"]) == (status, status)
    assert answer.json()["message"]


async def test_a_want_is_no_dataset(client: httpx.AsyncClient, send: Send) -> None:
    await send(want("w", "t"))
    assert (await client.get("/api/v1/namespaces/headwater%3Awants/datasets")).status_code == 404
    assert (await client.get("/api/counts")).json()["datasets"] == 0
