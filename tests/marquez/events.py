"""Events in few words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

DB = "postgres://db:5432"
JOBS = "jobs"
PRODUCER = "https://example.org/test"
_SCHEMA = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/"


def run_id(number: int) -> str:
    return f"{number:08x}-0000-4000-8000-000000000000"


def facet(**body: Any) -> dict[str, Any]:
    return {"_producer": PRODUCER, "_schemaURL": PRODUCER, **body}


def dataset(name: str, namespace: str = DB, **facets: Any) -> dict[str, Any]:
    return {"namespace": namespace, "name": name, "facets": facets}


def event(
    kind: str | None,
    run: int,
    job: str,
    inputs: Sequence[str | dict[str, Any]] = (),
    outputs: Sequence[str | dict[str, Any]] = (),
    *,
    minute: float = 0,
    time: str | None = None,
    run_facets: dict[str, Any] | None = None,
    job_facets: dict[str, Any] | None = None,
    namespace: str = JOBS,
) -> dict[str, Any]:
    """A RunEvent at ``minute`` past midnight of 2025-01-01, or at ``time``."""
    seconds = round(minute * 60)
    found: dict[str, Any] = {
        "eventTime": time or f"2025-01-01T{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}Z",
        "producer": PRODUCER,
        "schemaURL": f"{_SCHEMA}RunEvent",
        "run": {"runId": run_id(run), "facets": run_facets or {}},
        "job": {"namespace": namespace, "name": job, "facets": job_facets or {}},
        "inputs": [dataset(each) if isinstance(each, str) else each for each in inputs],
        "outputs": [dataset(each) if isinstance(each, str) else each for each in outputs],
    }
    return found if kind is None else {"eventType": kind, **found}


def dataset_event(about: dict[str, Any], *, minute: int = 0) -> dict[str, Any]:
    return {
        "eventTime": f"2025-01-01T00:{minute:02d}:00Z",
        "producer": PRODUCER,
        "schemaURL": f"{_SCHEMA}DatasetEvent",
        "dataset": about,
    }


def child_of(run: int, job: str, namespace: str = JOBS) -> dict[str, Any]:
    """Run facets that name a parent."""
    return {"parent": facet(run={"runId": run_id(run)}, job={"namespace": namespace, "name": job})}


def quoted(name: str) -> str:
    """As a segment of a path."""
    return quote(name, safe="")


def node(kind: str, name: str, namespace: str | None = None) -> str:
    return f"{kind}:{namespace or (JOBS if kind == 'job' else DB)}:{name}"


def names(graph: dict[str, Any]) -> set[str]:
    """Of the nodes, jobs and datasets alike."""
    return {each["data"]["name"] for each in graph["graph"]}


def edges(graph: dict[str, Any]) -> set[tuple[str, str]]:
    """By the names of their ends. Checks that each edge stands with both its ends."""
    by_id = {each["id"]: each["data"]["name"] for each in graph["graph"]}
    out = {(e["origin"], e["destination"]) for each in graph["graph"] for e in each["outEdges"]}
    into = {(e["origin"], e["destination"]) for each in graph["graph"] for e in each["inEdges"]}
    assert out == into
    return {(by_id[origin], by_id[destination]) for origin, destination in out}


def columns(graph: dict[str, Any]) -> set[tuple[str, str]]:
    """(column, column that it was made from), each as ``dataset.field``."""
    by_id = {each["id"]: f"{each['data']['dataset']}.{each['data']['field']}" for each in graph["graph"]}
    into = {(e["origin"], e["destination"]) for each in graph["graph"] for e in each["inEdges"]}
    out = {(e["destination"], e["origin"]) for each in graph["graph"] for e in each["outEdges"]}
    assert into == out
    return {(by_id[origin], by_id[destination]) for origin, destination in into}
