"""``track_lineage`` on every kind of function."""

from __future__ import annotations

import asyncio
import gc
import inspect
import traceback
from collections.abc import AsyncIterator, Iterator
from functools import partial, wraps
from typing import Any

import pytest

from headwater.producer import LineageDataset, current_run, track_lineage
from headwater.producer.testing import capture_lineage

Events = list[dict[str, Any]]


@pytest.fixture
def events() -> Iterator[Events]:
    with capture_lineage() as captured:
        yield captured


def types(events: Events) -> list[str]:
    return [event["eventType"] for event in events]


def test_sync(events: Events) -> None:
    @track_lineage(job_name="double", inputs=[LineageDataset("a", "b")], outputs=[LineageDataset("c", "d")])
    def double(x: int) -> int:
        """Doubles."""
        assert current_run() is not None
        return 2 * x

    assert double(4) == 8
    assert types(events) == ["START", "COMPLETE"]
    assert events[0]["inputs"][0]["name"] == "b"
    assert events[0]["outputs"][0]["name"] == "d"
    assert double.__name__ == "double"
    assert double.__doc__ == "Doubles."
    assert current_run() is None


def test_without_parentheses(events: Events) -> None:
    @track_lineage
    def load(x: int) -> int:
        return x

    class Service:
        @track_lineage
        @staticmethod
        def static() -> int:
            return 2

    assert load(1) == 1
    assert Service.static() == 2
    assert [event["job"]["name"].rpartition(".")[2] for event in events] == ["load"] * 2 + ["static"] * 2


def test_one_dataset_instead_of_a_list(events: Events) -> None:
    @track_lineage("job", inputs=LineageDataset("a", "b"), outputs=("c", "d"))  # type: ignore[call-overload]
    def load() -> None: ...

    load()
    assert events[0]["inputs"][0]["name"] == "b"
    assert events[0]["outputs"][0]["name"] == "d"


def test_the_job_is_named_after_the_function_unless_told(events: Events) -> None:
    @track_lineage()
    def load() -> None: ...

    load()
    assert events[0]["job"]["name"].endswith("test_the_job_is_named_after_the_function_unless_told.<locals>.load")


async def test_async(events: Events) -> None:
    @track_lineage("work")
    async def work(x: int) -> int:
        await asyncio.sleep(0)
        assert current_run() is not None
        return x

    assert inspect.iscoroutinefunction(work)
    assert await work(3) == 3
    assert types(events) == ["START", "COMPLETE"]


async def test_concurrent_tasks_have_their_own_runs_below_the_one_around(events: Events) -> None:
    @track_lineage("child")
    async def child() -> None:
        await asyncio.sleep(0.001)

    @track_lineage("parent")
    async def parent() -> None:
        await asyncio.gather(*(child() for _ in range(5)))

    await parent()
    (root,) = {event["run"]["runId"] for event in events if event["job"]["name"] == "parent"}
    children = [event for event in events if event["job"]["name"] == "child" and event["eventType"] == "START"]
    assert len({event["run"]["runId"] for event in children}) == 5
    assert {event["run"]["facets"]["parent"]["run"]["runId"] for event in children} == {root}


def test_an_exception_passes_untouched(events: Events) -> None:
    error = KeyError("x")

    @track_lineage("fails")
    def fails() -> None:
        raise error

    with pytest.raises(KeyError) as caught:
        fails()
    assert caught.value is error
    assert caught.value.__context__ is None
    assert traceback.extract_tb(caught.value.__traceback__)[-1].line == "raise error"
    assert types(events) == ["START", "FAIL"]


async def test_cancellation_is_an_abort(events: Events) -> None:
    @track_lineage("slow")
    async def slow() -> None:
        await asyncio.sleep(60)

    task = asyncio.create_task(slow())
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert types(events) == ["START", "ABORT"]


async def test_a_timeout_within_is_a_failure_and_around_an_abort(events: Events) -> None:
    @track_lineage("slow")
    async def slow() -> None:
        async with asyncio.timeout(0.01):
            await asyncio.sleep(60)

    with pytest.raises(TimeoutError):
        await slow()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(slow(), 0.001)
    assert types(events) == ["START", "FAIL", "START", "ABORT"]


async def test_groups_abort_only_if_nothing_in_them_failed(events: Events) -> None:
    @track_lineage("group")
    def raises(*errors: BaseException) -> None:
        raise BaseExceptionGroup("several", errors)

    for errors in ([asyncio.CancelledError()], [asyncio.CancelledError(), ValueError()]):
        with pytest.raises(BaseExceptionGroup):
            raises(*errors)
    assert types(events) == ["START", "ABORT", "START", "FAIL"]


def test_keyboard_interrupt_is_an_abort(events: Events) -> None:
    @track_lineage("interrupted")
    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert types(events) == ["START", "ABORT"]


def test_methods(events: Events) -> None:
    class Service:
        @track_lineage("plain")
        def plain(self) -> Service:
            return self

        @track_lineage("outside")
        @classmethod
        def outside(cls) -> type:
            return cls

        @classmethod
        @track_lineage("inside")
        def inside(cls) -> type:
            return cls

        @track_lineage("static")
        @staticmethod
        def static(x: int) -> int:
            return x

    service = Service()
    assert service.plain() is service
    assert service.outside() is Service
    assert Service.inside() is Service
    assert Service.static(3) == service.static(3) == 3
    assert types(events) == ["START", "COMPLETE"] * 5


def test_partials_and_callable_objects(events: Events) -> None:
    class Adds:
        def __call__(self, a: int, b: int) -> int:
            return a + b

    assert track_lineage("partial")(partial(Adds(), 1))(2) == 3
    assert track_lineage()(Adds())(1, 2) == 3
    assert events[-1]["job"]["name"].endswith("Adds")


async def test_an_async_function_hidden_by_another_decorator(events: Events) -> None:
    async def work() -> int:
        assert current_run() is not None
        await asyncio.sleep(0)
        return 1

    @track_lineage("hidden")
    @wraps(work)
    def hides() -> Any:
        return work()

    assert await hides() == 1
    assert types(events) == ["START", "COMPLETE"]


class TestGenerators:
    def test_the_run_is_current_only_within(self, events: Events) -> None:
        @track_lineage("items")
        def items() -> Iterator[int]:
            for x in range(3):
                assert current_run() is not None
                yield x

        assert inspect.isgeneratorfunction(items)
        iterator = items()
        assert types(events) == []
        for _ in iterator:
            assert current_run() is None
        assert types(events) == ["START", "COMPLETE"]

    def test_values_sent_thrown_and_returned_pass(self, events: Events) -> None:
        @track_lineage("talks")
        def talks() -> Any:
            got = []
            while True:
                try:
                    got.append((yield len(got)))
                except KeyError:
                    got.append("thrown")
                if len(got) == 3:
                    return got

        conversation = talks()
        assert next(conversation) == 0
        assert conversation.send("a") == 1
        assert conversation.throw(KeyError()) == 2
        with pytest.raises(StopIteration) as stop:
            conversation.send(None)
        assert stop.value.value == ["a", "thrown", None]
        assert types(events) == ["START", "COMPLETE"]

    def test_abandoned(self, events: Events) -> None:
        closed = []

        @track_lineage("items")
        def items() -> Iterator[int]:
            try:
                yield from range(10)
            finally:
                closed.append(current_run() is not None)

        for _ in items():
            break
        gc.collect()
        assert closed == [True]
        assert types(events) == ["START", "ABORT"]

    def test_failing(self, events: Events) -> None:
        @track_lineage("items")
        def items() -> Iterator[int]:
            yield 1
            raise ValueError("x")

        with pytest.raises(ValueError, match="x"):
            list(items())
        assert types(events) == ["START", "FAIL"]


class TestAsyncGenerators:
    async def test_whole(self, events: Events) -> None:
        @track_lineage("items")
        async def items() -> AsyncIterator[int]:
            for x in range(3):
                assert current_run() is not None
                await asyncio.sleep(0)
                yield x

        assert inspect.isasyncgenfunction(items)
        async for _ in items():
            assert current_run() is None
        assert types(events) == ["START", "COMPLETE"]

    async def test_abandoned_and_closed(self, events: Events) -> None:
        @track_lineage("items")
        async def items() -> AsyncIterator[int]:
            try:
                for x in range(3):
                    yield x
            finally:
                await asyncio.sleep(0)

        iterator = items()
        async for _ in iterator:
            break
        await iterator.aclose()  # type: ignore[attr-defined]
        assert types(events) == ["START", "ABORT"]

    def test_abandoned_to_the_loop(self, events: Events) -> None:
        @track_lineage("items")
        async def items() -> AsyncIterator[int]:
            while True:
                yield 1

        async def main() -> None:
            async for _ in items():
                break

        asyncio.run(main())
        assert types(events) == ["START", "ABORT"]

    async def test_sent_and_thrown(self, events: Events) -> None:
        @track_lineage("talks")
        async def talks() -> Any:
            got = yield 0
            try:
                yield got
            except KeyError:
                yield "thrown"

        conversation = talks()
        assert await conversation.__anext__() == 0
        assert await conversation.asend("a") == "a"
        assert await conversation.athrow(KeyError()) == "thrown"
        with pytest.raises(StopAsyncIteration):
            await conversation.__anext__()
        assert types(events) == ["START", "COMPLETE"]


def test_functions_work_where_lineage_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_DISABLED", "true")

    @track_lineage("sync")
    def double(x: int) -> int:
        return 2 * x

    @track_lineage("gen")
    def items() -> Iterator[int]:
        yield from (1, 2)

    @track_lineage("async")
    async def work() -> int:
        return 7

    @track_lineage("agen")
    async def aitems() -> AsyncIterator[int]:
        yield 1

    async def collect() -> list[int]:
        return [x async for x in aitems()]

    assert double(2) == 4
    assert list(items()) == [1, 2]
    assert asyncio.run(work()) == 7
    assert asyncio.run(collect()) == [1]
