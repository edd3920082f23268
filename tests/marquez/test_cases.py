"""The nineteen cases in which lineage servers were seen to fail, on every store combination."""

from __future__ import annotations

import itertools
import json
from collections import Counter
from typing import Any

import pytest

from headwater.collector.stores.base import ProjectedEvent
from headwater.collector.stores.composite import CompositeLineageStore
from headwater.collector.stores.memory import MemoryLineageStore
from tests.marquez.events import (
    DB,
    JOBS,
    columns,
    dataset,
    dataset_event,
    edges,
    event,
    facet,
    names,
    node,
    quoted,
    run_id,
)
from tests.support.seeds import rng
from tests.support.worlds import LOCAL, World, projected


async def test_t01_start_without_outputs_and_fail_without_datasets_keep_the_lineage(send, get):
    await send(event("COMPLETE", 1, "j", ["a"], ["b"]), event("START", 2, "j", ["a"], minute=1))
    assert names(await get("/lineage", nodeId=node("job", "j"))) == {"a", "j", "b"}
    await send(event("FAIL", 2, "j", minute=2))
    assert names(await get("/lineage", nodeId=node("job", "j"))) == {"a", "j", "b"}


async def test_t02_every_order_of_the_events_gives_one_state_and_one_graph(world: World):
    told = [
        event("START", 1, "j", ["a"]),
        event("RUNNING", 1, "j", ["a"], ["b"], minute=1),
        event("OTHER", 1, "j", [], ["c"], minute=2),
        event("COMPLETE", 1, "j", minute=3),
    ]
    orders = list(itertools.permutations(told))
    for order in orders if world_is_local(world) else rng("t02").sample(orders, 2):
        async with LOCAL["sqlite"]() as other:
            await other.take([[json.dumps(each).encode()] for each in order])
            run = await other.questions.run(run_id(1))
            assert run is not None
            assert run["state"] == "COMPLETED"
            graph = await other.questions.lineage(*_start("j"))
            assert graph is not None
            assert {each["name"] for each in graph["nodes"]} == {"a", "b", "c", "j"}
            await world.take([[json.dumps(each).encode()] for each in order])
            assert await world.questions.lineage(*_start("j")) == graph
            assert await world.questions.fingerprint() == await other.questions.fingerprint()


def world_is_local(world: World) -> bool:
    return type(world.store).__name__ == "SqlLineageStore"


def _start(job: str) -> tuple[Any, Any]:
    from headwater.shared.event import Name

    return Name(JOBS, job), "job"


async def test_t03_exact_duplicates_are_one_event_and_one_version(send, get):
    twice = event("COMPLETE", 1, "j", ["a"], ["b"])
    await send(twice, twice, twice)
    assert (await get("/events/lineage"))["totalCount"] == 1
    versions = await get(f"/namespaces/{quoted(DB)}/datasets/b/versions")
    assert versions["totalCount"] == len(versions["versions"]) == 1
    assert len((await get(f"/namespaces/{JOBS}/jobs/j/versions"))["versions"]) == 1


async def test_t04_conflicting_terminal_states_are_settled_by_rule(send, get):
    await send(event("COMPLETE", 1, "j", [], ["b"], minute=2), event("FAIL", 1, "j", minute=1))
    run = await get(f"/jobs/runs/{run_id(1)}")
    assert (run["state"], run["contradiction"]) == ("FAILED", True)
    assert run["endedAt"] == "2025-01-01T00:01:00Z"
    assert run["outputDatasetVersions"][0]["status"] == "candidate"


@pytest.mark.parametrize("at", [1, 2], ids=["at the same time", "later"])
async def test_t04_nothing_after_completed_changes_it_in_either_order(send, get, at):
    """Of a run that completed: a FAIL later on is the contradiction; at the same time FAIL comes before COMPLETE."""
    told = [event("COMPLETE", 1, "j", [], ["b"], minute=1), event("FAIL", 1, "j", minute=at)]
    again = [{**each, "run": {"runId": run_id(2), "facets": {}}} for each in reversed(told)]
    await send(*told, *again)
    for run in (1, 2):
        found = await get(f"/jobs/runs/{run_id(run)}")
        assert (found["state"], found["contradiction"]) == ("FAILED" if at == 1 else "COMPLETED", True)
        assert found["endedAt"] == "2025-01-01T00:01:00Z"


async def test_t05_alternating_outputs_are_all_shown_and_each_run_has_its_own(send, get):
    await send(event("COMPLETE", 1, "j", ["a"], ["f"]), event("COMPLETE", 2, "j", ["a"], ["g"], minute=1))
    assert names(await get("/lineage", nodeId=node("dataset", "f"), depth=1)) == {"a", "j", "f", "g"}
    for run, output in ((1, "f"), (2, "g")):
        written = (await get(f"/jobs/runs/{run_id(run)}"))["outputDatasetVersions"]
        assert [each["datasetVersionId"]["name"] for each in written] == [output]


@pytest.mark.parametrize("processing", ["BATCH", "STREAMING"])
async def test_t06_a_running_job_shows_at_once(send, get, processing):
    job_facets = {"jobType": facet(processingType=processing, integration="TEST", jobType="JOB")}
    await send(event("RUNNING", 1, "live", ["h"], ["i"], job_facets=job_facets))
    graph = await get("/lineage", nodeId=node("job", "live"))
    assert edges(graph) == {("h", "live"), ("live", "i")}
    committed = {
        each["data"]["name"]: each["data"]["committed"] for each in graph["graph"] if each["type"] == "DATASET"
    }
    assert committed == {"h": True, "i": False}


async def test_t07_a_child_never_sets_its_parents_state_and_the_root_stays(send, get):
    parent = facet(
        run={"runId": run_id(8)},
        job={"namespace": JOBS, "name": "task"},
        root={"run": {"runId": run_id(9)}, "job": {"namespace": JOBS, "name": "dag"}},
    )
    await send(event("COMPLETE", 1, "child", run_facets={"parent": parent}))
    for run in (8, 9):
        assert (await get(f"/jobs/runs/{run_id(run)}"))["state"] == "NEW"
    facets = await get(f"/jobs/runs/{run_id(1)}/facets", type="run")
    assert facets["facets"]["parent"]["root"]["run"]["runId"] == run_id(9)


_NAMES = [
    (DB, "public.t"),
    ("trino://h:1337", "20240430_q"),
    ("jdbc:h2:mem:x", "A.B"),
    ("arn:aws:glue:us-east-1:123", "table/db/t"),
    ("kafka://b:9092", "topic:a:b"),
    ("ns", "with#hash"),
    ("ns", "with space and ünïcode 表"),
    ("ns", "per%2Fcent"),
    ("oracle://h:1521", "struct<a:b>"),
    ("a:b", "c:d"),
]


@pytest.mark.parametrize(("namespace", "name"), _NAMES)
async def test_t08_every_name_is_found_by_its_node_id(send, get, namespace, name):
    await send(event("COMPLETE", 1, "j", [dataset(name, namespace)], namespace="ns:of:jobs"))
    wanted = {"namespace": namespace, "name": name}
    encoded = f"dataset:{quoted(namespace)}:{quoted(name)}"  # as the web UI sends it
    for asked in ({"nodeId": f"dataset:{namespace}:{name}"}, {"nodeId": encoded}, {**wanted, "kind": "dataset"}):
        graph = await get("/lineage", depth=0, **asked)
        assert [each["data"]["id"] for each in graph["graph"] if each["type"] == "DATASET"] == [wanted]
    assert (await get(f"/namespaces/{quoted(namespace)}/datasets/{quoted(name)}"))["id"] == wanted
    assert names(await get("/lineage", nodeId="job:ns:of:jobs:j")) == {name, "j"}


_ODD: list[tuple[str, Any, int]] = [
    ("null facets", lambda e: e["run"].update(facets={"parent": None, "nominalTime": None}), 201),
    ("null inputs", lambda e: e.update(inputs=None, outputs=None), 201),
    ("partial dataSource", lambda e: e.update(outputs=[dataset("x", dataSource={"name": "s"})]), 201),
    ("parent with an empty run", lambda e: e["run"].update(facets={"parent": {"run": {}, "job": {}}}), 201),
    ("nanoseconds", lambda e: e.update(eventTime="2025-01-01T00:00:00.123456789Z"), 201),
    ("offset", lambda e: e.update(eventTime="2025-01-01T05:30:00+05:30"), 201),
    ("220 kB", lambda e: e["run"].update(facets={"big": facet(text="x" * 220_000)}), 201),
    ("12 MB", lambda e: e["run"].update(facets={"big": facet(text="x" * 12_000_000)}), 201),
    ("1,100 characters", lambda e: e["job"].update(name="n" * 1_100), 201),
    ("unknown schemaURL", lambda e: e.update(schemaURL="https://openlineage.io/spec/99-0-0/OpenLineage.json"), 201),
    ("NUL", lambda e: e["job"].update(name="a\0b"), 422),
    ("no time at all", lambda e: e.update(eventTime="yesterday"), 422),
]


@pytest.mark.parametrize(("change", "status"), [each[1:] for each in _ODD], ids=[each[0] for each in _ODD])
async def test_t09_odd_events_are_taken_or_refused_and_never_an_error(client, change, status):
    odd = event("COMPLETE", 1, "j")
    change(odd)
    answer = await client.post("/lineage", json=odd)
    assert answer.status_code == status, answer.text[:500]
    if status == 201:
        name = quoted(odd["job"]["name"])
        assert (await client.get(f"/namespaces/{JOBS}/jobs/{name}")).status_code == 200


@pytest.mark.parametrize("time", ["2025-01-01", "2025-01-01T00:00:00"])
async def test_t09_a_date_and_a_time_without_zone_are_utc(send, get, time):
    await send(event("COMPLETE", 1, "j", time=time))
    assert (await get(f"/jobs/runs/{run_id(1)}"))["endedAt"] == "2025-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("time", "shown"),
    [
        ("2025-01-01T05:30:00+05:30", "2025-01-01T00:00:00Z"),
        ("2025-01-01T00:00:00.123456789Z", "2025-01-01T00:00:00.123457Z"),
    ],
)
async def test_t09_an_offset_is_reckoned_and_nanoseconds_are_rounded(send, get, time, shown):
    await send(event("COMPLETE", 1, "j", time=time))
    assert (await get(f"/jobs/runs/{run_id(1)}"))["endedAt"] == shown


@pytest.mark.parametrize("number", ["NaN", "Infinity"])
async def test_t09_numbers_that_json_has_not_are_refused(client, number):
    text = json.dumps(event("COMPLETE", 1, "j", run_facets={"x": facet(n=0)})).replace('"n": 0', f'"n": {number}')
    answer = await client.post("/lineage", content=text, headers={"content-type": "application/json"})
    assert answer.status_code == 400, answer.text


async def test_t10_malformed_json_is_400_and_a_missing_field_422(client):
    malformed = await client.post("/lineage", content=b"{", headers={"content-type": "application/json"})
    assert malformed.status_code == 400
    for key in ("eventTime", "producer", "run", "job"):
        less = {name: value for name, value in event("COMPLETE", 1, "j").items() if name != key}
        answer = await client.post("/lineage", json=less)
        assert answer.status_code == 422, (key, answer.text)
        assert any(key in error for error in answer.json()["errors"])


async def test_t11_a_late_symlink_joins_two_graphs_and_their_columns(send, get):
    lineage = facet(fields={"y": {"inputFields": [{"namespace": "hive", "name": "db.t", "field": "x"}]}})
    await send(
        event("COMPLETE", 1, "writer", ["a"], [dataset("/warehouse/t", "s3://bucket")]),
        event("COMPLETE", 2, "reader", [dataset("db.t", "hive")], [dataset("b", columnLineage=lineage)], minute=1),
    )
    assert "writer" not in names(await get("/lineage", nodeId=node("dataset", "b")))
    symlinks = facet(identifiers=[{"namespace": "hive", "name": "db.t", "type": "TABLE"}])
    await send(dataset_event(dataset("/warehouse/t", "s3://bucket", symlinks=symlinks), minute=2))
    for start in (node("dataset", "b"), "dataset:hive:db.t", "dataset:s3://bucket:/warehouse/t"):
        assert names(await get("/lineage", nodeId=start)) == {"a", "writer", "/warehouse/t", "reader", "b"}
    assert columns(await get("/column-lineage", nodeId=node("dataset", "b"))) == {("b.y", "/warehouse/t.x")}


async def test_t12_a_delete_cuts_paths_and_the_next_event_undoes_it(client, send, get):
    chain = [
        event("COMPLETE", 1, "first", ["a"], ["b"]),
        event("COMPLETE", 2, "second", ["b"], ["c"], minute=1),
        event("COMPLETE", 3, "third", ["c"], ["d"], minute=2),
    ]
    await send(*chain)
    assert (await client.delete(f"/namespaces/{JOBS}/jobs/second")).status_code == 200
    assert names(await get("/lineage", nodeId=node("job", "first"))) == {"a", "first", "b"}
    assert (await client.get("/lineage", params={"nodeId": node("job", "second")})).status_code == 404
    await send(event("COMPLETE", 4, "second", ["b"], ["c"], time="2099-01-01T00:00:00Z"))
    assert names(await get("/lineage", nodeId=node("job", "first"))) >= {"a", "first", "b", "second", "c", "third"}


async def test_t12_drop_and_rename(send, get):
    await send(event("COMPLETE", 1, "j", ["a"], ["old"]))
    rename = facet(lifecycleStateChange="RENAME", previousIdentifier={"namespace": DB, "name": "old"})
    await send(event("COMPLETE", 2, "renamer", [], [dataset("new", lifecycleStateChange=rename)], minute=1))
    assert {"a", "j", "new"} <= names(await get("/lineage", nodeId=node("dataset", "old")))
    drop = facet(lifecycleStateChange="DROP")
    await send(event("COMPLETE", 3, "dropper", [], [dataset("new", lifecycleStateChange=drop)], minute=2))
    assert (await get(f"/namespaces/{quoted(DB)}/datasets/new"))["deleted"] is True


async def test_t13_a_deleted_facet_is_gone(send, get):
    described = dataset("b", documentation=facet(description="a table"))
    gone = dataset("b", documentation={**facet(), "_deleted": True})
    await send(event("COMPLETE", 1, "j", [], [described]), event("COMPLETE", 2, "j", [], [gone], minute=1))
    found = await get(f"/namespaces/{quoted(DB)}/datasets/b")
    assert found["description"] is None
    assert "documentation" not in found["facets"]


async def test_t14_the_lineage_facet_replaces_the_product_of_inputs_and_outputs(send, get):
    def made_of(output: str, source: str) -> dict[str, Any]:
        sources = [{"namespace": DB, "name": source, "type": "DATASET"}]
        return {"namespace": DB, "name": output, "type": "DATASET", "inputs": sources}

    stated = {"lineage": facet(entries=[made_of("x", "a"), made_of("y", "b")])}
    await send(
        event("COMPLETE", 1, "j", ["a", "b"], ["x", "y"], job_facets=stated),
        event("COMPLETE", 2, "before", ["raw"], ["b"]),
        event("COMPLETE", 3, "after", ["x"], ["z"], minute=1),
    )
    assert names(await get("/lineage", nodeId=node("dataset", "x"), direction="upstream")) == {"x", "j", "a"}
    assert names(await get("/lineage", nodeId=node("dataset", "a"), direction="downstream")) == {
        "a", "j", "x", "after", "z"
    }  # fmt: skip
    down = await get("/lineage", nodeId=node("dataset", "raw"), direction="downstream")
    assert edges(down) == {("raw", "before"), ("before", "b"), ("b", "j"), ("j", "y")}
    whole = await get("/lineage", nodeId=node("job", "j"), depth=0)
    job = next(each["data"] for each in whole["graph"] if each["type"] == "JOB")
    assert {(edge["origin"], edge["destination"]) for edge in job["datasetEdges"]} == {
        (node("dataset", "a"), node("dataset", "x")),
        (node("dataset", "b"), node("dataset", "y")),
    }


_SOURCE = {"namespace": DB, "name": "a", "field": "x"}
_COLUMN_FACETS: dict[str, dict[str, Any]] = {
    "1-0": {"fields": {"y": {"inputFields": [_SOURCE], "transformationType": "IDENTITY",
                             "transformationDescription": "as it is"}}},
    "1-1": {"fields": {"y": {"inputFields": [
        {**_SOURCE, "transformations": [{"type": "DIRECT", "subtype": "IDENTITY", "description": "as it is"}]}]}}},
    "1-2": {"fields": {"y": {"inputFields": [
        {**_SOURCE, "transformations": [{"type": "DIRECT", "subtype": "IDENTITY", "description": "as it is"}]}]}},
        "dataset": [{"namespace": DB, "name": "a", "field": "k",
                     "transformations": [{"type": "INDIRECT", "subtype": "FILTER"}]}]},
}  # fmt: skip


@pytest.mark.parametrize("version", _COLUMN_FACETS)
async def test_t15_column_lineage_of_every_version_of_the_facet(send, get, version):
    lineage = facet(**_COLUMN_FACETS[version])
    schema = facet(fields=[{"name": "y", "type": "INT"}])
    await send(event("COMPLETE", 1, "j", ["a"], [dataset("b", columnLineage=lineage, schema=schema)]))
    graph = await get("/column-lineage", nodeId=node("dataset", "b"))
    filtered = {("b.y", "a.k")} if version == "1-2" else set()
    assert columns(graph) == {("b.y", "a.x")} | filtered
    made = next(each["data"] for each in graph["graph"] if each["data"]["field"] == "y")
    assert (made["transformationType"], made["transformationDescription"]) == ("IDENTITY", "as it is")
    assert made["fieldType"] == "INT"
    whole = {each["field"]: each["wholeDataset"] for each in made["inputFields"]}
    assert whole == {"x": False} | ({"k": True} if version == "1-2" else {})
    assert columns(await get("/column-lineage", nodeId=node("dataset", "b"), wholeDataset=False)) == {("b.y", "a.x")}


async def test_t16_runs_upstream_down_to_source_datasets(send, get):
    await send(
        event("COMPLETE", 1, "first", ["source"], ["b"]),
        event("COMPLETE", 2, "second", ["b", "other"], ["c"], minute=1),
    )
    found = await get("/runlineage/upstream", runId=run_id(2))
    assert [each["run"]["id"] for each in found["runs"]] == [run_id(2), run_id(1)]
    produced = {each["name"]: each["producedByRunId"] for each in found["runs"][0]["inputs"]}
    assert produced == {"b": run_id(1), "other": None}
    assert [each["producedByRunId"] for each in found["runs"][1]["inputs"]] == [None]
    back = await get("/runlineage/downstream", runId=run_id(1))
    assert [each["run"]["id"] for each in back["runs"]] == [run_id(1), run_id(2)]
    assert back["runs"][0]["outputs"][0]["consumedByRunIds"] == [run_id(2)]


async def test_t17_a_crash_between_two_stores_is_healed_by_the_replay(world: World):
    batch = [
        projected(json.dumps(each).encode())
        for each in (event("START", 1, "j", ["a"]), event("COMPLETE", 1, "j", ["a"], ["b"], minute=1))
    ]
    first = MemoryLineageStore()
    await first.write(batch)  # and then the process died
    assert await world.questions.job(*_start("j")[:1]) is None
    await CompositeLineageStore([first, world.store]).write(batch)
    async with LOCAL["sqlite"]() as clean:
        await clean.store.write(batch)
        assert await world.questions.fingerprint() == await clean.questions.fingerprint()
    assert len(first.documents) == 2


class _Counting:
    """A reader that counts its calls and the keys they take."""

    def __init__(self, reader: Any) -> None:
        self._reader = reader
        self.calls: Counter[str] = Counter()

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._reader, name)

        async def counted(*args: Any, **kwargs: Any) -> Any:
            self.calls[name] += 1
            self.calls[f"{name} keys"] += sum(len(each) for each in args if isinstance(each, set | list | tuple | dict))
            return await method(*args, **kwargs)

        return counted


async def test_t18_the_cost_of_lineage_follows_the_answer_and_not_the_number_of_jobs():
    """Milliseconds are the benchmark's affair (`python -m benchmarks reads`)."""
    from headwater.collector.questions import Questions

    async def cost(blocks: int) -> Counter[str]:
        async with LOCAL["sqlite"]() as world:
            batch: list[ProjectedEvent] = []
            for block in range(blocks):
                for layer in range(6):
                    told = event(
                        "COMPLETE",
                        block * 10 + layer + 1,
                        f"b{block}.j{layer}",
                        [f"b{block}.d{layer}"],
                        [f"b{block}.d{layer + 1}"],
                        minute=layer,
                    )
                    batch.append(projected(json.dumps(told).encode()))
            await world.store.write(batch)
            counting: Any = _Counting(world.questions.reader)
            assert await Questions(counting).neighbourhood(*_start("b0.j3"), depth=5) is not None
            return counting.calls

    assert await cost(1) == await cost(60)
