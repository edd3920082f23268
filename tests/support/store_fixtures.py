"""Fixtures: stores on real servers, for the conftest of tests that need them."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from headwater.collector.stores.document import DocumentLineageStore
from headwater.collector.stores.graph import Neo4jLineageStore
from tests.support import server_stores


@pytest.fixture
async def documents() -> AsyncIterator[DocumentLineageStore]:
    """Empty and open."""
    async with server_stores.mongo_store() as store:
        yield store


@pytest.fixture
async def graph() -> AsyncIterator[Neo4jLineageStore]:
    """Empty and open."""
    async with server_stores.neo4j_store() as store:
        yield store
