"""Collectors seal by themselves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from headwater.collector.audit.policy import SealPolicy
from headwater.collector.audit.verifying import Verifier
from headwater.collector.embedded import Embedded
from headwater.collector.settings import Settings
from headwater.collector.stores.base import LineageStoreProtocol
from headwater.collector.stores.composite import CompositeLineageStore
from headwater.collector.stores.logging_store import LoggingLineageStore
from headwater.collector.stores.sealing import Seal, Sealable
from headwater.collector.stores.sql import SqlLineageStore
from headwater.shared.clock import ManualClock, SystemClock
from tests.support.worlds import projected

from .places import PLACES
from .test_seals import raws

OLD_S = 61.0
"""Older than what waits for the next round."""


@asynccontextmanager
async def sqlite(path: Path, clock: ManualClock) -> AsyncIterator[SqlLineageStore]:
    store = SqlLineageStore(f"sqlite:///{path}/headwater.db", clock=clock)
    await store.open()
    yield store
    await store.close()


async def head(store: Sealable) -> Seal | None:
    return await store.trail().head()


async def opened(*stores: LineageStoreProtocol) -> CompositeLineageStore:
    composite = CompositeLineageStore(list(stores))
    await composite.open()
    return composite


async def test_a_round_seals_what_is_old_enough_in_every_store_that_keeps_events(tmp_path: Path) -> None:
    clock = ManualClock()
    async with sqlite(tmp_path, clock) as store:
        policy = SealPolicy(await opened(store, LoggingLineageStore()), clock)
        await store.write([projected(raw) for raw in raws(10)])
        assert (await policy.round(), await head(store)) == (0, None)
        clock.advance(OLD_S)
        await store.write([projected(raw) for raw in raws(3, first=10)])
        assert await policy.round() == 10
        clock.advance(OLD_S)
        assert (await policy.round(), await policy.round()) == (3, 0)
        found = await head(store)
        assert found is not None
        assert (found.number, found.present) == (2, 13)


@pytest.mark.parametrize("name", PLACES)
async def test_collectors_that_seal_one_store_at_once_do_no_harm(name: str) -> None:
    async with PLACES[name]() as place:
        await place.store.write([projected(raw) for raw in raws(40)])
        clock = ManualClock()
        clock.advance(10**9)
        policies = [SealPolicy(await opened(place.store), clock) for _ in range(4)]
        assert sum(await asyncio.gather(*(policy.round() for policy in policies))) == 40
        assert (await Verifier(place.trail, place.ids, anchors=()).run()).as_dict()["intact"] is True


async def test_an_embedded_collector_seals_while_it_runs(tmp_path: Path) -> None:
    clock = ManualClock(SystemClock().now_s())
    settings = Settings.model_validate({"lineage": {"collector": {"seal_every_s": 0.05}}})
    async with Embedded(tmp_path, settings=settings, clock=clock) as embedded:
        await embedded.ingest(raws(5))
        store = embedded.manager.stores.members["sql"].store
        assert isinstance(store, Sealable)
        assert await head(store) is None
        clock.advance(OLD_S)
        async with asyncio.timeout(20):
            while await head(store) is None:  # noqa: ASYNC110 - a seal has no event
                await asyncio.sleep(0.01)


async def test_none_seals_where_that_is_switched_off(tmp_path: Path) -> None:
    settings = Settings.model_validate({"lineage": {"collector": {"seal_every_s": 0}}})
    async with Embedded(tmp_path, settings=settings):
        assert "headwater seals" not in {task.get_name() for task in asyncio.all_tasks()}
    async with Embedded(tmp_path):
        assert "headwater seals" in {task.get_name() for task in asyncio.all_tasks()}
