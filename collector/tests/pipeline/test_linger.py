"""A small batch waits a moment for more, and never while somebody waits for it."""

from __future__ import annotations

import asyncio

from headwater.collector.pipeline import linger
from headwater.collector.pipeline.linger import Linger
from headwater.collector.pipeline.settlements import Settlements
from headwater.shared.log import StoredRecord


def records(*offsets: int) -> list[StoredRecord]:
    return [StoredRecord("events", 0, offset, 0, b"{}", None, ()) for offset in offsets]


async def more() -> list[StoredRecord]:
    return records(1, 2)


async def test_what_arrives_in_the_moment_is_added():
    batch = records(0)
    await Linger(Settlements(), 0.001).gather(batch, more)
    assert [record.offset for record in batch] == [0, 1, 2]


async def test_nobody_who_waits_is_held_up():
    settlements, batch = Settlements(), records(0)
    waiting = asyncio.create_task(settlements.wait([0], timeout_s=60))
    await asyncio.sleep(0)
    await Linger(settlements, 3600).gather(batch, more)
    assert len(batch) == 1
    settlements.advance(1)
    await waiting
    assert not settlements.awaited.is_set()


async def test_somebody_who_comes_cuts_it_short():
    settlements, batch = Settlements(), records(0)
    lingering = asyncio.create_task(Linger(settlements, 3600).gather(batch, more))
    await asyncio.sleep(0)
    assert not lingering.done()
    waiting = asyncio.create_task(settlements.wait([0], timeout_s=60))
    await lingering
    assert len(batch) == 3
    settlements.advance(3)
    await waiting


async def test_one_who_gives_up_leaves_no_hurry_behind():
    settlements = Settlements()
    await settlements.wait([0], timeout_s=0.001)
    assert not settlements.awaited.is_set()


async def test_a_large_batch_and_a_lane_that_nobody_waits_for_go_at_once():
    for settlements, batch in ((Settlements(), records(*range(linger.ENOUGH))), (None, records(0))):
        before = len(batch)
        await Linger(settlements, 3600).gather(batch, more)
        assert len(batch) == before


async def test_with_no_time_to_linger_it_goes_at_once():
    batch = records(0)
    await Linger(Settlements(), 0).gather(batch, more)
    assert len(batch) == 1
