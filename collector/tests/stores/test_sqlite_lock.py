"""Another process holds SQLite's write lock: calls wait for it until their deadline, and no longer."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest
from tests.support.events import good_event
from tests.support.worlds import projected

from headwater.collector.stores.sql import SqlLineageStore
from headwater.shared.errors import TransientError

PATIENCE_S = 20
"""Of the test: less than the 25 s that the store waits where nobody says otherwise."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "h.db"


@asynccontextmanager
async def opened(path: Path, deadline_s: float) -> AsyncIterator[SqlLineageStore]:
    store = SqlLineageStore(f"sqlite:///{path}", deadline_s=deadline_s)
    await store.open()
    try:
        yield store
    finally:
        await store.close()


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """As a process does that is stopped in the middle of a transaction."""
    other = sqlite3.connect(path, isolation_level=None)
    try:
        other.execute("BEGIN IMMEDIATE")
        yield
    finally:
        other.close()


async def test_calls_end_at_their_deadline_those_that_wait_for_their_turn_too(path: Path) -> None:
    batch = [projected(good_event(1, 1))]
    async with opened(path, deadline_s=0.4) as store:
        with locked(path):
            async with asyncio.timeout(PATIENCE_S):
                calls = (store.write(batch), store.write(batch), store.ping())
                failures = await asyncio.gather(*calls, return_exceptions=True)
        assert [type(failure) for failure in failures] == [TransientError] * 3, failures
        assert "locked" in str(failures[0])
        assert (await store.reader().counts())["events"] == 0
        await store.write(batch)
        assert (await store.reader().counts())["events"] == 1


async def test_opening_ends_at_its_deadline_and_may_be_tried_again(path: Path) -> None:
    sqlite3.connect(path).close()
    store = SqlLineageStore(f"sqlite:///{path}", deadline_s=0.4)
    with locked(path):
        async with asyncio.timeout(PATIENCE_S):
            with pytest.raises(TransientError, match="locked"):
                await store.open()
    await store.open()
    await store.ping()
    await store.close()


async def test_a_lock_that_is_given_back_in_time_costs_nothing_but_time(path: Path) -> None:
    async with opened(path, deadline_s=60) as store:
        with locked(path):
            writing = asyncio.create_task(store.write([projected(good_event(1, 1))]))
            await asyncio.sleep(0.6)  # longer than SQLite is asked to wait at once
            assert not writing.done()
        await writing
        assert (await store.reader().counts())["events"] == 1
