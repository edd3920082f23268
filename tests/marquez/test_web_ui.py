"""Every call that Marquez's web UI makes (web/src/store/requests), and the fields that its types name
(web/src/types/api.ts, lineage.ts), with their types."""

from __future__ import annotations

from types import NoneType
from typing import Any

import httpx
import pytest

from tests.marquez.events import DB, JOBS, child_of, dataset, event, facet, node, quoted, run_id

Shape = type | tuple[type, ...] | dict[str, Any] | list[Any]
TEXT = (str, NoneType)
NAME = {"namespace": str, "name": str}
FIELD = {"name": str, "type": TEXT, "tags": [str], "description": TEXT}
RUN = {
    "id": str, "createdAt": str, "updatedAt": str, "nominalStartTime": TEXT, "nominalEndTime": TEXT, "state": str,
    "jobVersion": ({"name": str, "namespace": str, "version": str}, NoneType), "startedAt": TEXT, "endedAt": TEXT,
    "durationMs": (int, NoneType), "args": dict, "facets": dict,
}  # fmt: skip
JOB = {
    "id": NAME, "type": str, "name": str, "simpleName": str, "parentJobName": TEXT, "parentJobUuid": TEXT,
    "createdAt": str, "updatedAt": str, "inputs": [NAME], "outputs": [NAME], "namespace": str, "location": TEXT,
    "description": TEXT, "latestRun": (RUN, NoneType), "tags": [str],
}  # fmt: skip
COLUMN_LINEAGE = {
    "name": str, "transformationDescription": TEXT, "transformationType": TEXT,
    "inputFields": [{"namespace": str, "dataset": str, "field": str, "transformationDescription": TEXT,
                     "transformationType": TEXT}],
}  # fmt: skip
DATASET = {
    "id": NAME, "type": str, "name": str, "physicalName": str, "createdAt": str, "updatedAt": str, "namespace": str,
    "sourceName": str, "fields": [FIELD], "tags": [str], "lastModifiedAt": TEXT, "description": TEXT, "facets": dict,
    "deleted": bool, "columnLineage": ([COLUMN_LINEAGE], NoneType),
}  # fmt: skip
VERSION = {
    "id": NAME, "type": str, "createdByRun": (RUN, NoneType), "name": str,
    "physicalName": str, "createdAt": str, "version": str, "namespace": str, "sourceName": str, "fields": [FIELD],
    "tags": [str], "description": TEXT, "lifecycleState": str, "facets": dict,
}  # fmt: skip
"""Without the version that the UI's type has in ``id``: a real Marquez has none there either."""
EDGE = {"origin": str, "destination": str}
LINEAGE_NODE = {"id": str, "type": str, "data": dict, "inEdges": [EDGE], "outEdges": [EDGE]}
COLUMN_NODE = {
    "id": str, "type": str, "inEdges": [EDGE], "outEdges": [EDGE],
    "data": {"namespace": str, "dataset": str, "datasetVersion": str, "field": str, "fieldType": str,
             "transformationDescription": TEXT, "transformationType": TEXT,
             "inputFields": [{"namespace": str, "dataset": str, "datasetVersion": str, "field": str,
                              "transformationDescription": TEXT, "transformationType": TEXT}]},
}  # fmt: skip
EVENT = {
    "eventType": str, "eventTime": str, "producer": str, "schemaURL": str, "run": {"runId": str, "facets": dict},
    "job": {"name": str, "namespace": str, "facets": dict}, "inputs": [{**NAME, "facets": dict}],
    "outputs": [{**NAME, "facets": dict}],
}  # fmt: skip
NAMESPACE = {
    "name": str, "createdAt": str, "updatedAt": str, "ownerName": str, "description": TEXT, "isHidden": bool
}  # fmt: skip
TAG = {"name": str, "description": TEXT}
RESULT = {"name": str, "namespace": str, "nodeId": str, "type": str, "updatedAt": str}
INTERVAL = {"startInterval": str, "endInterval": str}
EVENT_COUNTS = {**INTERVAL, "fail": int, "start": int, "complete": int, "abort": int}
JOB_HIT = {
    "run_id": TEXT, "name": str, "namespace": str, "eventType": str, "type": str, "facets": dict, "runFacets": dict
}  # fmt: skip
DATASET_HIT = {"run_id": TEXT, "name": str, "namespace": str, "eventType": str, "facets": dict}

_J, _D = f"/namespaces/{JOBS}/jobs/dag.task", f"/namespaces/{quoted(DB)}/datasets/b"
_NODE = f"job:{quoted(JOBS)}:{quoted('dag.task')}"  # it encodes namespace and name, not the separators
_WRITTEN_JOB = {**JOB, "inputs": list, "outputs": list}  # Marquez leaves outputs out of the answer to a write
CALLS: list[tuple[str, str, dict[str, Any], Any]] = [
    ("GET", "/namespaces", {}, {"namespaces": [NAMESPACE]}),
    ("GET", "/jobs", {"limit": 20, "offset": 0}, {"totalCount": int, "jobs": [JOB]}),
    ("GET", "/jobs", {"limit": 20, "offset": 0, "lastRunStates": "COMPLETED"}, {"totalCount": int, "jobs": [JOB]}),
    ("GET", f"/namespaces/{JOBS}/jobs", {"limit": 20, "offset": 0}, {"totalCount": int, "jobs": [JOB]}),
    ("GET", _J, {}, JOB),
    ("GET", f"{_J}/runs", {"limit": 20, "offset": 0}, {"runs": [RUN], "totalCount": int}),
    ("GET", f"/jobs/runs/{run_id(1)}/facets", {"type": "run"}, {"runId": str, "facets": dict}),
    ("GET", f"/jobs/runs/{run_id(1)}/facets", {"type": "job"}, {"runId": str, "facets": dict}),
    ("GET", f"/namespaces/{quoted(DB)}/datasets", {"limit": 20, "offset": 0},
     {"totalCount": int, "datasets": [DATASET]}),
    ("GET", _D, {}, DATASET),
    ("GET", f"{_D}/versions", {"limit": 20, "offset": 0}, {"versions": [VERSION], "totalCount": int}),
    ("GET", "/lineage", {"nodeId": _NODE, "depth": 5}, {"graph": [LINEAGE_NODE]}),
    ("GET", "/column-lineage", {"nodeId": node("dataset", "b"), "depth": 5, "withDownstream": "true"},
     {"graph": [COLUMN_NODE]}),
    ("GET", "/events/lineage",
     {"limit": 20, "before": "2030-01-01T00:00:00.000Z", "after": "1970-01-01T00:00:00.000Z", "offset": 0,
      "sortDirection": "desc"},
     {"events": [EVENT], "totalCount": int}),
    ("GET", "/search", {"q": "b", "sort": "NAME", "limit": 100}, {"totalCount": int, "results": [RESULT]}),
    ("GET", "/search", {"q": "task", "sort": "UPDATE_AT", "limit": 100, "filter": "JOB"},
     {"totalCount": int, "results": [RESULT]}),
    ("GET", "/tags", {}, {"tags": [TAG]}),
    ("PUT", "/tags/fresh", {"description": "d"}, TAG),
    ("POST", f"{_J}/tags/fresh", {}, _WRITTEN_JOB),
    ("DELETE", f"{_J}/tags/fresh", {}, _WRITTEN_JOB),
    ("POST", f"{_D}/tags/fresh", {}, DATASET),
    ("DELETE", f"{_D}/tags/fresh", {}, DATASET),
    ("POST", f"{_D}/fields/y/tags/fresh", {}, DATASET),
    ("DELETE", f"{_D}/fields/y/tags/fresh", {}, DATASET),
    ("GET", "/stats/lineage-events", {"period": "DAY", "timezone": "UTC"}, [EVENT_COUNTS]),
    ("GET", "/stats/lineage-events", {"period": "WEEK", "timezone": "UTC"}, [EVENT_COUNTS]),
    *(
        ("GET", f"/stats/{what}", {"period": period, "timezone": "America/New_York"}, [{**INTERVAL, "count": int}])
        for what in ("jobs", "datasets", "sources") for period in ("DAY", "WEEK")
    ),
    ("GET", "/../v2beta/search/jobs", {"q": "task"}, {"hits": [JOB_HIT], "highlights": [dict]}),
    ("GET", "/../v2beta/search/datasets", {"q": "b"}, {"hits": [DATASET_HIT], "highlights": [dict]}),
    ("DELETE", _D, {}, DATASET),
    ("DELETE", _J, {}, _WRITTEN_JOB),
]  # fmt: skip


@pytest.fixture
async def filled(send) -> None:
    lineage = facet(fields={"y": {"inputFields": [{"namespace": DB, "name": "a", "field": "x"}]}})
    schema = facet(fields=[{"name": "y", "type": "INT"}])
    await send(
        event("START", 1, "dag.task", ["a"], run_facets=child_of(9, "dag")),
        event("COMPLETE", 1, "dag.task", ["a"], [dataset("b", columnLineage=lineage, schema=schema)], minute=1),
        event("FAIL", 2, "other", ["b"], minute=2),
    )


async def test_every_call_of_the_web_ui_answers_with_its_fields(client: httpx.AsyncClient, filled: None):
    for method, path, params, shape in CALLS:
        url = path.removeprefix("/..") if path.startswith("/../") else path
        if url != path:
            url = f"http://headwater.test/api{url}"
        if method == "PUT":
            answer = await client.put(url, json=params)
        else:
            answer = await client.request(method, url, params=params)
        assert answer.status_code == 200, f"{method} {answer.url}: {answer.text}"
        wrong = list(faults(answer.json(), shape, "answer"))
        assert not wrong, f"{method} {answer.url}: {wrong}"


async def test_what_the_ui_needs_of_graph_nodes(get, filled: None):
    """helpers/nodes.ts: a node is a job only if its type is BATCH, a dataset only if it is DB_TABLE."""
    graph = (await get("/lineage", nodeId=_NODE))["graph"]
    for each in graph:
        if each["type"] == "JOB":
            assert each["data"]["type"] == "BATCH"
            assert not list(faults(each["data"], _JOB_DATA, "a.job.node"))
        else:
            assert each["data"]["type"] == "DB_TABLE"
            assert isinstance(each["data"]["fields"], list)
    assert {each["type"] for each in graph} == {"JOB", "DATASET"}


_JOB_DATA = {key: shape for key, shape in JOB.items() if key != "tags"}


def test_the_check_finds_what_is_wrong():
    assert list(faults({"a": 1}, {"a": str, "b": int}, "x")) == ["x.a is int, not str", "x.b is missing"]
    assert list(faults([], [NAME], "x")) == ["x has no entry to look at"]
    assert list(faults(None, (str, NoneType), "x")) == []


def faults(value: Any, shape: Any, where: str) -> Any:
    """What is wrong with a value; outermost lists of objects must not be empty, or nothing would be checked."""
    if isinstance(shape, tuple):
        kinds = [each for each in shape if isinstance(each, type)]
        if not isinstance(value, tuple(kinds)):
            rest = [each for each in shape if not isinstance(each, type)]
            if rest:
                yield from faults(value, rest[0], where)
            else:
                yield f"{where} is {type(value).__name__}, not {' or '.join(kind.__name__ for kind in kinds)}"
    elif isinstance(shape, dict):
        if not isinstance(value, dict):
            yield f"{where} is {type(value).__name__}, not an object"
            return
        for key, inner in shape.items():
            if key not in value:
                yield f"{where}.{key} is missing"
            else:
                yield from faults(value[key], inner, f"{where}.{key}")
    elif isinstance(shape, list):
        if not isinstance(value, list):
            yield f"{where} is {type(value).__name__}, not a list"
        elif not value and isinstance(shape[0], dict) and where.count(".") < 2 and where.count("[") == 0:
            yield f"{where} has no entry to look at"
        else:
            for at, each in enumerate(value):
                yield from faults(each, shape[0], f"{where}[{at}]")
    elif not isinstance(value, shape) or (shape is int and isinstance(value, bool)):
        yield f"{where} is {type(value).__name__}, not {shape.__name__}"
