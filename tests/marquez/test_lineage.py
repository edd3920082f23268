"""What ``GET /lineage`` has besides Marquez's: one way, other times, bounds that are told, folded views."""

from __future__ import annotations

from tests.marquez.events import child_of, dataset, edges, event, names, node


async def _chain(send, length: int = 4) -> None:
    """d0 -> j0 -> d1 -> j1 -> ..., and a sibling that reads d1."""
    for at in range(length):
        await send(event("COMPLETE", at + 1, f"j{at}", [f"d{at}"], [f"d{at + 1}"], minute=at))
    await send(event("COMPLETE", 99, "sibling", ["d1"], ["s"], minute=50))


async def test_directions_and_their_depths(send, get):
    await _chain(send)
    start = node("dataset", "d2")
    assert names(await get("/lineage", nodeId=start, direction="upstream")) == {"d2", "j1", "d1", "j0", "d0"}
    assert names(await get("/lineage", nodeId=start, upstreamDepth=1)) == {"d2", "j1", "d1"}
    assert names(await get("/lineage", nodeId=start, downstreamDepth=1)) == {"d2", "j2", "d3"}
    assert names(await get("/lineage", nodeId=start, direction="both", upstreamDepth=1, depth=9)) == {
        "d2", "j1", "d1", "j2", "d3", "j3", "d4"
    }  # fmt: skip
    assert "sibling" in names(await get("/lineage", nodeId=start)), "undirected, as Marquez walks"


async def test_truncation_is_told_and_the_nearest_stay(send, get):
    await _chain(send)
    whole = await get("/lineage", nodeId=node("job", "j0"))
    assert (whole["truncated"], whole["truncatedBy"]) == (False, None)
    shallow = await get("/lineage", nodeId=node("job", "j0"), depth=1)
    assert shallow["truncatedBy"] == "depth"
    few = await get("/lineage", nodeId=node("job", "j0"), limit=4, order="distance")
    assert few["truncatedBy"] == "limit"
    assert len(few["graph"]) == 4
    distances = [each["distance"] for each in few["graph"]]
    assert distances == sorted(distances)
    assert max(distances) <= min(each["distance"] for each in whole["graph"] if each["data"]["name"] not in names(few))


async def test_the_graph_as_it_was(send, get):
    await send(
        event("COMPLETE", 1, "j", ["a"], ["b"], time="2025-01-01T00:00:00Z"),
        event("COMPLETE", 2, "j", ["c"], ["b"], time="2025-03-01T00:00:00Z"),
        event("COMPLETE", 3, "next", ["b"], ["d"], time="2025-03-02T00:00:00Z"),
    )
    then = await get("/lineage", nodeId=node("job", "j"), asOf="2025-01-15T00:00:00Z")
    assert edges(then) == {("a", "j"), ("j", "b")}
    assert [each["data"]["latestRun"]["endedAt"] for each in then["graph"] if each["type"] == "JOB"] == [
        "2025-01-01T00:00:00Z"
    ]
    assert edges(await get("/lineage", nodeId=node("job", "j"))) == {
        ("c", "j"),
        ("j", "b"),
        ("b", "next"),
        ("next", "d"),
    }
    up = await get("/lineage", nodeId=node("dataset", "b"), direction="upstream", asOf="2025-01-15T00:00:00Z")
    assert edges(up) == {("a", "j"), ("j", "b")}


async def test_the_window_of_the_past_is_that_of_the_present(send, get):
    """Rule 8: edges of the thirty days before the newest run, whatever the time asked about."""
    await send(
        event("COMPLETE", 1, "j", ["a"], ["f"], time="2025-01-01T00:00:00Z"),
        event("COMPLETE", 2, "j", ["a"], ["g"], time="2025-01-20T00:00:00Z"),
        event("COMPLETE", 3, "j", ["a"], ["h"], time="2025-02-10T00:00:00Z"),
    )
    then = await get("/lineage", nodeId=node("job", "j"), asOf="2025-02-01T00:00:00Z")
    assert names(then) == {"a", "j", "f", "g"}
    later = await get("/lineage", nodeId=node("job", "j"), asOf="2025-02-11T00:00:00Z")
    assert names(later) == names(await get("/lineage", nodeId=node("job", "j"))) == {"a", "j", "g", "h"}


async def test_tasks_fold_into_their_dag_and_unfold_again(send, get):
    await send(
        event("COMPLETE", 1, "dag.extract", ["raw"], ["staged"], run_facets=child_of(10, "dag")),
        event("COMPLETE", 2, "dag.load", ["staged"], ["table"], minute=1, run_facets=child_of(10, "dag")),
        event("COMPLETE", 3, "report", ["table"], ["out"], minute=2),
    )
    folded = await get("/lineage", nodeId=node("dataset", "staged"), fold="parent")
    assert edges(folded) == {
        ("raw", "dag"), ("staged", "dag"), ("dag", "staged"), ("dag", "table"), ("table", "report"), ("report", "out")
    }  # fmt: skip
    dag = next(each for each in folded["graph"] if each["data"]["name"] == "dag")
    assert dag["data"]["folded"] == [node("job", "dag.extract"), node("job", "dag.load")]
    opened = await get("/lineage", nodeId=node("dataset", "staged"), fold="parent", unfold=node("job", "dag"))
    plain = await get("/lineage", nodeId=node("dataset", "staged"))
    assert edges(opened) == edges(plain)
    assert names(plain) >= {"dag.extract", "dag.load"}, "no fact is gone"


async def test_grandchildren_fold_into_the_outermost_job(send, get):
    await send(
        event("START", 11, "app", run_facets=child_of(10, "dag")),
        event("COMPLETE", 1, "app.write", ["a"], ["b"], run_facets=child_of(11, "app")),
    )
    assert names(await get("/lineage", nodeId=node("dataset", "a"), fold="parent")) == {"a", "dag", "b"}
    half = await get("/lineage", nodeId=node("dataset", "a"), fold="parent", unfold=node("job", "dag"))
    assert names(half) == {"a", "app", "b"}


async def test_a_deleted_dag_stands_for_no_tasks(client, send, get):
    await send(
        event("START", 11, "app", run_facets=child_of(10, "dag")),
        event("COMPLETE", 1, "app.write", ["a"], ["b"], run_facets=child_of(11, "app")),
    )
    assert (await client.delete("/namespaces/jobs/jobs/dag")).status_code == 200
    assert edges(await get("/lineage", nodeId=node("dataset", "a"), fold="parent")) == {("a", "app"), ("app", "b")}
    assert (await client.delete("/namespaces/jobs/jobs/app")).status_code == 200
    folded = await get("/lineage", nodeId=node("dataset", "a"), fold="parent")
    assert edges(folded) == {("a", "app.write"), ("app.write", "b")}, "as without folding"


async def test_twins_of_one_statement_fold_into_one(send, get):
    for run, name in ((1, "app.create_table_as_select"), (2, "app.insert_into")):
        await send(event("COMPLETE", run, name, ["a"], ["b"], run_facets=child_of(10, "app")))
    folded = await get("/lineage", nodeId=node("dataset", "b"), fold="twins")
    assert edges(folded) == {("a", "app.create_table_as_select"), ("app.create_table_as_select", "b")}
    assert len((await get("/lineage", nodeId=node("dataset", "b")))["graph"]) == 4


async def test_a_new_file_name_for_each_batch_folds_into_one(send, get):
    for run, name in enumerate(("in/part-00000-1a2b3c4d5e6f.parquet", "in/part-00001-99aabbccddee.parquet"), 1):
        await send(event("COMPLETE", run, "stream", [dataset(name, "file")], ["sink"], minute=run))
    await send(event("COMPLETE", 9, "stream", [dataset("in/lookup.csv", "file")], ["sink"], minute=9))
    folded = await get("/lineage", nodeId=node("job", "stream"), fold="files")
    assert len(folded["graph"]) == 4
    files = next(each for each in folded["graph"] if "folded" in each["data"])
    assert files["data"]["pattern"] == "in/part-*-*.parquet"
    assert len(files["data"]["folded"]) == 1
    assert len((await get("/lineage", nodeId=node("job", "stream")))["graph"]) == 5


async def test_what_is_no_fold_or_no_version_is_refused(client, send):
    await send(event("COMPLETE", 1, "j", ["a"], ["b"]))
    for params, status in (
        ({"nodeId": node("job", "j"), "fold": "everything"}, 400),
        ({"nodeId": node("job", "j"), "direction": "sideways"}, 400),
        ({"nodeId": node("job", "j"), "asOf": "yesterday"}, 400),
        ({"nodeId": f"{node('job', 'j')}#00000099-0000-4000-8000-000000000000"}, 404),
        ({"nodeId": node("job", "j"), "fold": "parent", "unfold": "job:jobs:nope"}, 404),
        ({"namespace": "jobs"}, 400),
        ({}, 400),
    ):
        answer = await client.get("/lineage", params=params)
        assert answer.status_code == status, (params, answer.text)
        assert answer.json()["message"]
