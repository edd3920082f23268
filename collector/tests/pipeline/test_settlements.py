"""Waiting for what becomes of an event."""

from __future__ import annotations

import asyncio

from headwater.collector.pipeline import Outcome, Settlement
from headwater.collector.pipeline.settlements import Settlements

STORED, DEAD, PENDING = Outcome.STORED, Outcome.DEAD_LETTER, Outcome.PENDING


async def test_waiters_wake_when_their_last_offset_is_settled() -> None:
    settlements = Settlements()
    first = asyncio.create_task(settlements.wait([1, 0], timeout_s=10))
    second = asyncio.create_task(settlements.wait([2], timeout_s=10))
    await asyncio.sleep(0)
    settlements.advance(1)
    await asyncio.sleep(0)
    assert not first.done()
    settlements.advance(2, [Settlement(1, DEAD, "refused")])
    assert await first == [Settlement(1, DEAD, "refused"), Settlement(0, STORED)]
    assert not second.done()
    settlements.advance(3)
    assert await second == [Settlement(2, STORED)]


async def test_what_is_settled_already_is_not_waited_for_and_the_position_never_goes_back() -> None:
    settlements = Settlements()
    settlements.advance(5)
    settlements.advance(3)
    assert await settlements.wait([4], timeout_s=0) == [Settlement(4, STORED)]
    assert await settlements.wait([], timeout_s=0) == []


async def test_time_is_up() -> None:
    settlements = Settlements()
    settlements.advance(1)
    assert await settlements.wait([0, 1], timeout_s=0.001) == [Settlement(0, STORED), Settlement(1, PENDING)]
    settlements.advance(2)  # nobody waits any more
    assert await settlements.wait([1], timeout_s=0) == [Settlement(1, STORED)]


async def test_a_waiter_that_is_cancelled_harms_nobody() -> None:
    settlements = Settlements()
    task = asyncio.create_task(settlements.wait([0], timeout_s=10))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    settlements.advance(1)


async def test_what_was_forgotten_is_not_called_stored() -> None:
    settlements = Settlements(max_remembered=2)
    settlements.advance(4, [Settlement(offset, DEAD) for offset in range(3)])
    found = await settlements.wait([0, 1, 2, 3], timeout_s=0)
    assert [settlement.outcome for settlement in found] == [PENDING, DEAD, DEAD, STORED]
