"""A call into a driver ends in time, whatever the driver makes of being broken off."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from headwater.collector.stores.deadline import Bounded
from headwater.shared.errors import PermanentError, TransientError

_SHORT_S = 0.02


async def test_what_the_call_makes_of_it_is_what_comes_back() -> None:
    calls = Bounded("it")

    async def refuses() -> None:
        raise PermanentError("no")

    async def has_a_limit_of_its_own() -> None:
        raise TimeoutError

    await calls.call(asyncio.sleep(0), 5.0)
    with pytest.raises(PermanentError, match="no"):
        await calls.call(refuses(), 5.0)
    with pytest.raises(TransientError, match="did not answer within 5 s"):
        await calls.call(has_a_limit_of_its_own(), 5.0)


async def test_a_call_that_takes_too_long_is_broken_off() -> None:
    ended: list[str] = []

    async def hangs() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("closed its connection")

    with pytest.raises(TransientError, match=r"it did not answer within 0\.02 s"):
        await Bounded("it").call(hangs(), _SHORT_S)
    assert ended


async def test_a_call_that_passes_its_cancellation_on_twice_does_not_cancel_its_caller() -> None:
    """As Neo4j's driver does where it emulates what cannot be cancelled."""

    async def passes_on() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            current = asyncio.current_task()
            assert current is not None
            current.cancel()
            await asyncio.sleep(0)

    with pytest.raises(TransientError, match="did not answer"):
        await Bounded("it").call(passes_on(), _SHORT_S)
    current = asyncio.current_task()
    assert current is not None
    assert current.cancelling() == 0


async def test_a_call_that_cancels_itself_has_failed_and_may_be_tried_again() -> None:
    async def lost() -> None:
        raise asyncio.CancelledError

    with pytest.raises(TransientError, match="it broke off the call by itself"):
        await Bounded("it").call(lost(), 5.0)


async def test_a_call_that_will_not_end_holds_up_nobody_and_gets_no_second_beside_it() -> None:
    release, calls = asyncio.Event(), Bounded("it", ending_s=_SHORT_S)

    async def stubborn() -> None:
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                continue

    with pytest.raises(TransientError, match="did not answer"):
        await calls.call(stubborn(), _SHORT_S)
    with pytest.raises(TransientError, match="still has a call in hand"):
        await calls.call(asyncio.sleep(0), 5.0)
    release.set()
    await asyncio.sleep(_SHORT_S)
    await calls.call(asyncio.sleep(0), 5.0)


async def test_who_is_cancelled_while_it_waits_breaks_the_call_off() -> None:
    ended: list[Any] = []

    async def hangs() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(asyncio.current_task())

    caller = asyncio.create_task(Bounded("it").call(hangs(), 30.0))
    await asyncio.sleep(_SHORT_S)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert len(ended) == 1
