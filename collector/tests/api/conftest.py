"""A collector without a log behind the API: what is accepted is stored at once, and a test can make it refuse."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import orjson
import pytest
from fastapi import FastAPI
from prometheus_client import CollectorRegistry

from headwater.collector.api import IngestLimits, Readiness, create_app
from headwater.collector.deadletters import DeadLetters
from headwater.collector.pipeline.outcome import Outcome, Settlement
from headwater.collector.projection import project
from headwater.collector.questions import Questions
from headwater.collector.stores.base import ProjectedEvent
from headwater.collector.stores.sql.store import SqlLineageStore
from headwater.shared.event import LineageEvent
from headwater.shared.limits import Limits
from headwater.shared.log.memory import MemoryLog

SMALL = IngestLimits(event=Limits(max_event_bytes=20_000), max_batch_bytes=200_000, max_batch_events=2_000)


class Direct:
    """Services over one SQLite store."""

    def __init__(self, store: SqlLineageStore) -> None:
        self._store = store
        self.questions = Questions(store.reader())
        self.log = MemoryLog()
        self.dead_letters = DeadLetters(self.log, "events")
        self.registry = CollectorRegistry()
        self.took: list[bytes] = []
        self.outcome = Outcome.STORED
        self.error: Exception | None = None
        self.ready = Readiness(True, {"pipeline": "ok"})

    async def accept(self, events: Sequence[LineageEvent]) -> list[Settlement]:
        return await self.ingest(events)

    async def readable(self) -> None:
        pass

    async def ingest(self, events: Sequence[LineageEvent]) -> list[Settlement]:
        if self.error is not None:
            raise self.error
        first = len(self.took)
        self.took.extend(event.raw for event in events)
        await self._store.write([ProjectedEvent(event, project(event)) for event in events])
        return [Settlement(first + index, self.outcome) for index in range(len(events))]

    async def readiness(self) -> Readiness:
        return self.ready


@pytest.fixture
async def direct(tmp_path: Path) -> AsyncIterator[Direct]:
    store = SqlLineageStore(f"sqlite:///{tmp_path / 'headwater.db'}")
    await store.open()
    services = Direct(store)
    await services.log.open()
    yield services
    await services.log.close()
    await store.close()


@pytest.fixture
def app(direct: Direct) -> FastAPI:
    return create_app(direct, limits=SMALL)


@pytest.fixture
async def client(app: FastAPI) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://headwater.test") as made:
        yield made


@pytest.fixture
def event() -> Callable[..., dict[str, Any]]:
    return make_event


def make_event(
    run: int = 1,
    kind: str = "COMPLETE",
    *,
    job: tuple[str, str] = ("jobs", "j"),
    inputs: Sequence[tuple[str, str]] = (),
    outputs: Sequence[tuple[str, str]] = (),
    time: str = "2026-01-01T00:00:00Z",
    facets: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """A RunEvent. ``run`` is its number."""
    return {
        "eventType": kind,
        "eventTime": time,
        "producer": "https://example.org/test",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": run_id(run), "facets": facets or {}},
        "job": {"namespace": job[0], "name": job[1]},
        "inputs": [{"namespace": namespace, "name": name} for namespace, name in inputs],
        "outputs": [{"namespace": namespace, "name": name} for namespace, name in outputs],
    }


def run_id(number: int) -> str:
    return f"{number:08x}-0000-4000-8000-000000000000"


@pytest.fixture
def send(client: httpx.AsyncClient) -> Callable[..., Any]:
    """Posts events one by one; each must be created."""

    async def post(*events: dict[str, Any]) -> None:
        for each in events:
            answer = await client.post("/api/v1/lineage", content=orjson.dumps(each))
            assert answer.status_code == 201, answer.text

    return post


@pytest.fixture
def path() -> Callable[..., str]:
    """Joins segments, each percent-encoded whole."""
    return lambda *segments: (
        "/"
        + "/".join(quote(each, safe="") if each not in (".", "..") else each.replace(".", "%2E") for each in segments)
    )
