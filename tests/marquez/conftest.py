"""A world of each engine, and a client of the API over it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import httpx
import pytest

from headwater.collector.api import create_app
from tests.marquez.serving import WorldServices
from tests.support.worlds import ENGINES, World

WHOLE = ("sqlite", "postgres", "mongo+neo4j")
"""Store combinations that can answer everything."""


@pytest.fixture(params=WHOLE)
async def world(request: pytest.FixtureRequest) -> AsyncIterator[World]:
    async with ENGINES[request.param]() as made:
        yield made


@pytest.fixture
async def client(world: World) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(create_app(WorldServices(world)))
    async with httpx.AsyncClient(transport=transport, base_url="http://headwater.test/api/v1") as made:
        yield made


@pytest.fixture
def send(client: httpx.AsyncClient) -> Callable[..., Awaitable[None]]:
    """Posts events one by one; each must be created."""

    async def post(*events: dict[str, Any]) -> None:
        for each in events:
            answer = await client.post("/lineage", json=each)
            assert answer.status_code == 201, answer.text

    return post


@pytest.fixture
def get(client: httpx.AsyncClient) -> Callable[..., Awaitable[Any]]:
    """The body of a GET that must succeed; keyword arguments are query parameters."""

    async def fetch(path: str, **params: Any) -> Any:
        answer = await client.get(path, params=params)
        assert answer.status_code == 200, f"{answer.url}: {answer.text}"
        return answer.json()

    return fetch
