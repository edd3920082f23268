"""Where Marquez is wrong and what is right instead: the reading half of its list of defects, by number or label."""

from __future__ import annotations

from tests.marquez.events import DB, columns, dataset, edges, event, facet, names, node, quoted, run_id


async def _chain(send) -> None:
    """a -> j1 -> b -> j2 -> c, runs 1 and 2."""
    await send(event("COMPLETE", 1, "j1", ["a"], ["b"]), event("COMPLETE", 2, "j2", ["b"], ["c"], minute=1))


async def test_127_lineage_of_a_dataset_version(send, get):
    await _chain(send)
    await send(event("COMPLETE", 3, "j1", ["other"], ["b"], minute=2))
    versions = (await get(f"/namespaces/{quoted(DB)}/datasets/b/versions"))["versions"]
    of_run = {each["createdByRun"]["id"]: each["version"] for each in versions}
    old = await get("/lineage", nodeId=f"{node('dataset', 'b')}#{of_run[run_id(1)]}")
    assert edges(old) == {("a", "j1"), ("j1", "b"), ("b", "j2"), ("j2", "c")}
    new = await get("/lineage", nodeId=f"{node('dataset', 'b')}#{of_run[run_id(3)]}")
    assert edges(new) == {("other", "j1"), ("j1", "b")}
    start = next(each for each in new["graph"] if each["data"]["name"] == "b")
    assert start["id"] == f"{node('dataset', 'b')}#{of_run[run_id(3)]}"
    assert start["data"]["version"] == of_run[run_id(3)]
    assert start["data"]["createdByRunId"] == run_id(3)
    job = next(each for each in new["graph"] if each["type"] == "JOB")
    assert job["id"] == f"{node('job', 'j1')}#{run_id(3)}"
    assert job["data"]["latestRun"]["id"] == run_id(3)


async def test_127_lineage_of_a_candidate_and_of_what_nobody_wrote(send, get):
    await send(event("FAIL", 1, "j", ["a"], ["b"]))
    named = (await get(f"/jobs/runs/{run_id(1)}"))["outputDatasetVersions"][0]["datasetVersionId"]["version"]
    graph = await get("/lineage", nodeId=f"{node('dataset', 'b')}#{named}")
    assert edges(graph) == {("a", "j"), ("j", "b")}
    assert next(each for each in graph["graph"] if each["data"]["name"] == "b")["data"]["committed"] is False
    seen = (await get(f"/namespaces/{quoted(DB)}/datasets/a"))["currentVersion"]
    assert "a" in names(await get("/lineage", nodeId=f"{node('dataset', 'a')}#{seen}"))


async def test_127_lineage_of_a_job_version(send, get):
    await _chain(send)
    version = (await get("/namespaces/jobs/jobs/j1/versions"))["versions"][0]["version"]
    for shown in (version, run_id(1), (await get("/namespaces/jobs/jobs/j1"))["currentVersion"]):
        graph = await get("/lineage", nodeId=f"{node('job', 'j1')}#{shown}", depth=0)
        assert edges(graph) == {("a", "j1"), ("j1", "b")}


async def test_128_upstream_of_a_run_whose_input_nobody_produced(send, get):
    await _chain(send)
    found = await get("/runlineage/upstream", runId=run_id(2))
    assert [each["inputs"][0]["producedByRunId"] for each in found["runs"]] == [run_id(1), None]


async def test_129_versions_that_run_lineage_names_can_be_looked_up(send, get):
    await _chain(send)
    found = await get("/runlineage/upstream", runId=run_id(2), depth=0)
    assert [each["run"]["id"] for each in found["runs"]] == [run_id(2)]
    assert found["truncatedBy"] == "depth"
    version = found["runs"][0]["inputs"][0]["version"]
    looked_up = await get(f"/namespaces/{quoted(DB)}/datasets/b/versions/{version}")
    assert looked_up["createdByRun"]["id"] == run_id(1)


async def test_two_runs_that_committed_one_version_are_both_named(send, get):
    release = dataset("b", version=facet(datasetVersion="r1"))
    await send(
        event("COMPLETE", 1, "j1", ["a"], [release]),
        event("COMPLETE", 2, "j2", ["a"], [release], minute=1),
        event("COMPLETE", 3, "reader", [release], ["c"], minute=2),
    )
    read = (await get("/runlineage/upstream", runId=run_id(3)))["runs"][0]["inputs"][0]
    assert (read["producedByRunId"], sorted(read["conflict"])) == (None, [run_id(1), run_id(2)])


async def test_lineage_after_a_late_start(send, get):
    await send(event("COMPLETE", 1, "late", ["a"], ["b"], minute=2), event("START", 1, "late", ["a"], minute=1))
    assert names(await get("/lineage", nodeId=node("job", "late"), depth=1)) == {"a", "late", "b"}
    run = await get(f"/jobs/runs/{run_id(1)}")
    assert (run["state"], run["startedAt"]) == ("COMPLETED", "2025-01-01T00:01:00Z")
    assert len(run["outputDatasetVersions"]) == 1


async def test_lineage_while_the_next_run_has_no_outputs_yet_and_after_it_failed(send, get):
    await send(event("COMPLETE", 1, "keep", ["c"], ["d"]), event("START", 2, "keep", ["c"], minute=1))
    assert names(await get("/lineage", nodeId=node("job", "keep"), depth=1)) == {"c", "keep", "d"}
    await send(event("FAIL", 2, "keep", minute=2))
    assert names(await get("/lineage", nodeId=node("job", "keep"), depth=1)) == {"c", "keep", "d"}


async def test_lineage_of_what_the_run_before_last_wrote(send, get):
    await send(
        event("COMPLETE", 1, "alternate", ["e"], ["f"]), event("COMPLETE", 2, "alternate", ["e"], ["g"], minute=1)
    )
    assert names(await get("/lineage", nodeId=node("dataset", "f"), depth=1)) == {"f", "alternate", "e", "g"}


async def test_lineage_of_a_run_in_progress(send, get):
    await send(event("RUNNING", 1, "live", ["h"], ["i"]))
    graph = await get("/lineage", nodeId=node("job", "live"), depth=1)
    assert names(graph) == {"h", "live", "i"}
    assert [each["data"]["committed"] for each in graph["graph"] if each["data"]["name"] == "i"] == [False]


async def test_events_after_exact_duplicates(send, get):
    same = event("COMPLETE", 1, "twice", ["j"], ["k"], minute=10)
    await send(same, same, same)
    found = await get("/events/lineage", after="2025-01-01T00:10:00Z", before="2025-01-01T00:10:30Z")
    assert (found["totalCount"], len(found["events"])) == (1, 1)


async def test_names_with_colons(send, get):
    for run, (name, space) in enumerate(
        (("20240430_q", "trino://h:1337"), ("A.B", "jdbc:h2:mem:x"), ("table/db/t", "arn:aws:glue:us-east-1:123")), 1
    ):
        await send(event("COMPLETE", run, "names", [], [dataset(name, space)]))
        assert name in names(await get("/lineage", nodeId=f"dataset:{space}:{name}", depth=0))


async def test_tags_of_the_tags_facet_are_no_tags_of_a_node(send, get):
    """As recorded: a graph's nodes carry the tags given through the API; the dataset itself shows both."""
    tagged = dataset("t", tags=facet(tags=[{"key": "pii", "value": "true", "source": "X"}]))
    await send(event("COMPLETE", 1, "j", [], [tagged]))
    assert (await get(f"/namespaces/{quoted(DB)}/datasets/t"))["tags"] == ["pii"]


async def test_columns_of_a_version(send, get):
    def made_of(field: str) -> dict[str, object]:
        return facet(fields={"y": {"inputFields": [{"namespace": DB, "name": "a", "field": field}]}})

    await send(
        event("COMPLETE", 1, "j", ["a"], [dataset("b", columnLineage=made_of("old"))]),
        event("COMPLETE", 2, "j", ["a"], [dataset("b", columnLineage=made_of("new"))], minute=1),
    )
    versions = (await get(f"/namespaces/{quoted(DB)}/datasets/b/versions"))["versions"]
    of_run = {each["createdByRun"]["id"]: each["version"] for each in versions}
    for run, field in ((1, "old"), (2, "new")):
        for asked in (node("dataset", "b"), node("datasetField", "b:y", DB)):
            graph = await get("/column-lineage", nodeId=f"{asked}#{of_run[run_id(run)]}")
            assert columns(graph) == {("b.y", f"a.{field}")}
            assert all("#" in each["id"] for each in graph["graph"])
