"""Events as the probe sends them."""

from __future__ import annotations

from typing import Any

import httpx

PRODUCER = "https://github.com/x/y"
Json = dict[str, Any]


def run_id(number: int) -> str:
    return f"{number:08d}-0000-4000-8000-000000000000"


def facet(**body: Any) -> Json:
    return {"_producer": PRODUCER, "_schemaURL": PRODUCER, **body}


def dataset(name: str, namespace: str = "db", **facets: Any) -> Json:
    return {"namespace": namespace, "name": name, "facets": facets}


def event(
    kind: str | None,
    run: int | str,
    job: str,
    inputs: list[Json] | None = None,
    outputs: list[Json] | None = None,
    *,
    time: str = "2025-01-01T00:00:00Z",
    namespace: str = "ns",
    run_facets: Json | None = None,
    job_facets: Json | None = None,
) -> Json:
    body = {
        "eventTime": time,
        "producer": PRODUCER,
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": run_id(run) if isinstance(run, int) else run, "facets": run_facets or {}},
        "job": {"namespace": namespace, "name": job, "facets": job_facets or {}},
        "inputs": inputs or [],
        "outputs": outputs or [],
    }
    return body if kind is None else {"eventType": kind, **body}


async def send(client: httpx.AsyncClient, *events: Json) -> None:
    for each in events:
        answer = await client.post("/api/v1/lineage", json=each)
        assert answer.status_code == 201, answer.text


async def get(client: httpx.AsyncClient, path: str, status: int = 200) -> Any:
    answer = await client.get("/api/v1" + path)
    assert answer.status_code == status, (path, answer.text)
    return answer.json()


async def write(client: httpx.AsyncClient, method: str, path: str, body: Any = None, status: int = 200) -> Any:
    answer = await client.request(method, "/api/v1" + path, json=body)
    assert answer.status_code == status, (method, path, answer.text)
    return answer.json()
