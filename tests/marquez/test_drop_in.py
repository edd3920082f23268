"""What clients written for Marquez do beside the recorded requests: large bounds, Marquez's own spelling of names,
errors in its words."""

from __future__ import annotations

import pytest

from tests.marquez.events import JOBS, dataset, dataset_event, event, names, node, run_id

ODD, SHOWN = "bad ns!", "bad_ns_"


async def test_a_bound_above_what_is_given_is_no_error(send, get):
    await send(event("COMPLETE", 1, "one", ["a"], ["b"]))
    most = 2**31 - 1
    for path in ("/namespaces", "/jobs", f"/namespaces/{JOBS}/jobs", "/events/lineage", "/tags", "/sources"):
        found = await get(path, limit=most)
        assert found["totalCount"] == max(map(len, (each for each in found.values() if isinstance(each, list))))
    graph = await get("/lineage", nodeId=node("job", "one"), depth=most)
    assert names(graph) == {"one", "a", "b"}
    await get("/lineage", nodeId=node("job", "one"), upstreamDepth=most, downstreamDepth=most)
    await get("/column-lineage", nodeId=node("job", "one"), depth=most)
    await get("/runlineage/upstream", runId=run_id(1), depth=most)


async def test_a_whole_graph_is_not_called_truncated(send, get):
    await send(event("COMPLETE", 1, "one", ["a"], ["b"]), event("COMPLETE", 2, "two", ["b"], ["c"], minute=1))
    start = node("job", "one")
    cut = await get("/lineage", nodeId=start, depth=0)
    assert (names(cut), cut["truncated"], cut["truncatedBy"]) == ({"one", "a", "b"}, True, "depth")
    for depth in (1, 2):
        whole = await get("/lineage", nodeId=start, depth=depth)
        assert (names(whole), whole["truncated"], whole["truncatedBy"]) == ({"one", "two", "a", "b", "c"}, False, None)


async def test_the_total_of_events_is_true_where_something_narrows_them(send, get):
    await send(
        event("START", 1, "one", minute=1),
        event("COMPLETE", 1, "one", minute=2),
        event("COMPLETE", 2, "two", minute=3),
        dataset_event(dataset("a"), minute=4),
    )
    assert (await get("/events/lineage"))["totalCount"] == 4, "as in Marquez, all kinds"
    for narrowed, total in (
        ({"kind": "run"}, 3),
        ({"kind": "all"}, 4),
        ({"kind": "dataset"}, 1),
        ({"namespace": JOBS}, 3),
        ({"namespace": JOBS, "job": "one"}, 2),
        ({"runId": run_id(2)}, 1),
    ):
        found = await get("/events/lineage", **narrowed)
        assert found["totalCount"] == len(found["events"]) == total, narrowed


async def test_namespace_and_name_beside_a_node_id_say_how_it_is_read(client, send, get):
    await send(
        event("COMPLETE", 1, "one", [], [dataset("c", "a:b")]), event("COMPLETE", 2, "two", [], [dataset("b:c", "a")])
    )
    asked = {"nodeId": "dataset:a:b:c", "depth": 0}
    assert names(await get("/lineage", **asked)) == {"one", "c"}
    assert names(await get("/lineage", **asked, namespace="a")) == {"two", "b:c"}
    assert names(await get("/lineage", **asked, name="b:c")) == {"two", "b:c"}
    assert (await client.get("/lineage", params={**asked, "namespace": "elsewhere"})).status_code == 404


async def test_what_is_in_a_namespace_that_marquez_spells_otherwise_is_found_under_both(client, send, get):
    await send(event("COMPLETE", 1, "one", [dataset("a", ODD)], [dataset("b", ODD)], namespace=ODD))
    for namespace in (SHOWN, "bad%20ns%21"):
        for path in ("jobs/one", "jobs/one/versions", "datasets/b", "datasets/b/versions"):
            await get(f"/namespaces/{namespace}/{path}")
        assert (await get(f"/namespaces/{namespace}/jobs/one/runs"))["totalCount"] == 1
    assert names(await get("/lineage", nodeId=f"job:{SHOWN}:one")) == {"one", "a", "b"}
    assert names(await get("/lineage", nodeId=f"dataset:{SHOWN}:b")) == {"one", "a", "b"}
    assert names(await get("/lineage", namespace=SHOWN, name="b", kind="dataset")) == {"one", "a", "b"}
    assert (await client.post(f"/namespaces/{SHOWN}/jobs/one/tags/x")).json()["tags"] == ["x"]
    put = await client.put(f"/namespaces/{SHOWN}", json={"ownerName": "me"})
    assert (put.json()["name"], put.json()["ownerName"]) == (SHOWN, "me")
    assert [each["name"] for each in (await get("/namespaces"))["namespaces"]] == [SHOWN], "no second one was made"
    assert (await client.delete(f"/namespaces/{SHOWN}")).status_code == 200
    assert (await get(f"/namespaces/{SHOWN}"))["isHidden"] is True
    assert (await client.get(f"/namespaces/{SHOWN}/jobs/one")).status_code == 404


async def test_a_path_of_the_past_does_not_lead_through_a_deleted_job(client, send, get):
    await send(
        event("COMPLETE", 1, "one", ["a"], ["b"]),
        event("COMPLETE", 2, "two", ["b"], ["c"], minute=1),
        event("COMPLETE", 3, "three", ["c"], ["d"], minute=2),
    )
    past = {"nodeId": node("dataset", "d"), "asOf": "2025-01-02T00:00:00Z"}
    assert names(await get("/lineage", **past)) == {"one", "two", "three", "a", "b", "c", "d"}
    assert (await client.delete(f"/namespaces/{JOBS}/jobs/two")).status_code == 200
    assert names(await get("/lineage", **past)) == {"three", "c", "d"}
    assert names(await get("/lineage", **past, direction="upstream")) == {"three", "c", "d"}


async def test_a_dataset_that_nobody_wrote_has_its_physical_name_in_its_version(client, get):
    body = {"type": "STREAM", "physicalName": "prod.clicks", "sourceName": "kafka", "tags": ["t"]}
    assert (await client.put("/namespaces/shop/datasets/clicks", json=body)).status_code == 200
    (version,) = (await get("/namespaces/shop/datasets/clicks/versions"))["versions"]
    assert (version["type"], version["physicalName"]) == ("STREAM", "prod.clicks")
    assert not [each for each in version["facets"] if each.startswith("headwater_")]


@pytest.mark.parametrize("transition", ["bogus", "START"])
async def test_a_transition_that_is_none_is_404(client, send, transition):
    await send(event("START", 1, "one"))
    assert (await client.post(f"/jobs/runs/{run_id(1)}/{transition}")).status_code == 404


async def test_no_node_id_is_refused_in_marquez_words(client):
    for path in ("/lineage", "/column-lineage"):
        answer = await client.get(path)
        assert (answer.status_code, answer.json()["errors"]) == (400, ["query param nodeId must not be null"])
