"""Pipelines on a real Kafka."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from tests.servers.fixtures import *  # noqa: F403 - fixtures
from tests.servers.places import KafkaTopics
from tests.support.members import GatedStore, Member, Watched


@pytest.fixture
async def watched() -> Watched:
    return Watched(GatedStore())


@pytest.fixture
async def member(kafka_topics: KafkaTopics, watched: Watched) -> AsyncIterator[Callable[..., Awaitable[Member]]]:
    """Makes and starts members, and stops them afterwards."""
    made: list[Member] = []

    async def make(topic: str, **batches: Any) -> Member:
        made.append(Member(kafka_topics, watched, topic, **batches))
        return await made[-1].start()

    yield make
    watched.store.gate.set()
    for one in made:
        await one.stop()


@pytest.fixture
async def until() -> Callable[..., Awaitable[None]]:
    """Waits until a condition holds."""

    async def wait(condition: Callable[[], bool], within_s: float = 60.0) -> None:
        async with asyncio.timeout(within_s):
            while not condition():  # noqa: ASYNC110 - whatever a test looks at has no event of its own
                await asyncio.sleep(0.01)

    return wait
