"""A question as one step: one state of the store, in a thread of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Mapping

import pytest
from tests.support.events import good_event
from tests.support.worlds import ENGINES, World

from headwater.collector.questions.whole import together, whole
from headwater.collector.stores.reading import AsksWhole, PinQuery, Reader
from headwater.shared.errors import TransientError
from headwater.shared.event import Name

WAIT_S = 60


@pytest.fixture(params=["sqlite", "postgres"])
async def world(request: pytest.FixtureRequest) -> AsyncIterator[World]:
    async with ENGINES[request.param]() as world:
        yield world


def asking(world: World) -> AsksWhole:
    reader = world.questions.reader
    assert isinstance(reader, AsksWhole)
    return reader


async def test_later_writes_are_not_seen(world: World) -> None:
    await world.take([[good_event(1, 1)]])
    looked, wrote = threading.Event(), threading.Event()

    async def ask(reader: Reader) -> tuple[Mapping[str, int], Mapping[str, int]]:
        before = await reader.counts()
        looked.set()
        assert wrote.wait(WAIT_S)
        return before, await reader.counts()

    asked = asyncio.create_task(asking(world).whole(ask))
    assert await asyncio.to_thread(looked.wait, WAIT_S)
    await world.take([[good_event(2, 2)]])
    wrote.set()
    before, after = await asked
    assert before == after
    assert (await world.questions.counts())["events"] == after["events"] + 1


async def test_what_a_question_raises_comes_through(world: World) -> None:
    async def ask(reader: Reader) -> None:
        await reader.counts()
        raise LookupError("no such thing")

    with pytest.raises(LookupError, match="no such thing"):
        await asking(world).whole(ask)


async def test_a_question_within_a_question_sees_the_same(world: World) -> None:
    await world.take([[good_event(1, 1)]])

    async def ask(reader: Reader) -> list[Mapping[str, int]]:
        return [await whole(reader, lambda inner: inner.counts()), *await together(reader.counts(), reader.counts())]

    first, *others = await asking(world).whole(ask)
    assert first["events"] == 1
    assert others == [first, first]


async def test_a_question_waits_for_its_reader_alone(world: World) -> None:
    async def ask(reader: Reader) -> None:
        await asyncio.sleep(0)

    with pytest.raises(RuntimeError, match="reader alone"):
        await asking(world).whole(ask)


async def test_a_question_that_is_given_up_ends(world: World) -> None:
    looked, given_up = threading.Event(), threading.Event()
    failed: list[Exception] = []

    async def ask(reader: Reader) -> None:
        await reader.counts()
        looked.set()
        assert given_up.wait(WAIT_S)
        try:
            await reader.counts()
        except TransientError as error:
            failed.append(error)
            raise

    asked = asyncio.create_task(asking(world).whole(ask))
    assert await asyncio.to_thread(looked.wait, WAIT_S)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    given_up.set()
    assert (await world.questions.counts())["events"] == 0
    for _ in range(WAIT_S * 10):
        if failed:
            break
        await asyncio.sleep(0.1)
    assert "given up" in str(failed[0])


async def test_many_look_ups_are_answered_each(world: World) -> None:
    """Known and unknown ones, and one several times, in their order."""
    await world.take([[good_event(number, number) for number in range(3)]])
    reader = world.questions.reader
    rows = await reader.latest_runs([Name("jobs", f"job-{number}") for number in range(3)], 1)
    names = [name for name in await _datasets(reader) for _ in range(2)] + [Name("db", "nowhere")]
    queries = [PinQuery((name,), None, None) for name in names]
    single = [(await reader.current([query]))[0] for query in queries]
    assert await reader.current(queries) == single
    assert single[-1] is None
    assert len(rows) == 3


async def _datasets(reader: Reader) -> list[Name]:
    return (await reader.list_datasets(None, 100, 0))[1]
