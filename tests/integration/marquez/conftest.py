"""One API for each engine."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx
import pytest

from tests.integration.marquez.serving import Stored, served
from tests.support.worlds import ENGINES


@pytest.fixture(params=list(ENGINES))
async def services(request: pytest.FixtureRequest) -> AsyncIterator[Stored]:
    """Over an empty store."""
    if request.param in ("neo4j", "memory"):
        pytest.skip("keeps no documents" if request.param == "neo4j" else "is no engine to serve from")
    async with ENGINES[request.param]() as world:
        yield Stored(world)


@pytest.fixture
async def url(services: Stored) -> AsyncIterator[str]:
    """Of the API."""
    async with served(services) as address:
        yield address


@pytest.fixture
async def client(url: str) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=url, timeout=60) as made:
        yield made
