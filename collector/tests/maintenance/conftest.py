"""Stores on real servers."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from tests.servers.fixtures import *  # noqa: F403
from tests.support import server_stores

from headwater.collector.stores.document import DocumentLineageStore
from headwater.collector.stores.graph import Neo4jLineageStore


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
