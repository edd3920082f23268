"""Read by mypy, never run: the decorator keeps signatures."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from typing import Any, assert_type

from headwater.producer import LineageDataset, Run, current_run, emit, propagate, run, track_lineage


@track_lineage(job_name="sync", inputs=[LineageDataset("a", "b")])
def sync(x: int, *, name: str = "") -> list[str]:
    return [name] * x


@track_lineage("coroutine")
async def coroutine(x: int) -> bytes:
    return bytes(x)


@track_lineage("generator")
def generator() -> Iterator[int]:
    yield 1


@track_lineage("async generator")
async def async_generator() -> AsyncIterator[int]:
    yield 1


@track_lineage
def bare(x: int) -> str:
    return str(x)


class Service:
    @track_lineage("method")
    def method(self, x: float) -> str:
        return str(x)

    @classmethod
    @track_lineage("class method")
    def make(cls, x: int) -> Service:
        return cls()

    @staticmethod
    @track_lineage("static method")
    def fixed(x: int) -> int:
        return x


assert_type(sync(3, name="x"), list[str])
called: Callable[[int], Coroutine[Any, Any, bytes]] = coroutine
assert_type(bare(1), str)
assert_type(generator(), Iterator[int])
assert_type(async_generator(), AsyncIterator[int])
assert_type(Service().method(1.5), str)
assert_type(Service.make(1), Service)
assert_type(Service.fixed(1), int)
assert_type(current_run(), Run | None)
assert_type(emit({}), bool)
with run("x") as handle:
    assert_type(handle, Run)


def worker(x: int) -> str:
    return str(x)


carried: Callable[[int], str] = propagate(worker)

sync("three")  # type: ignore[arg-type]
sync(3, nam="x")  # type: ignore[call-arg]
Service().method("x")  # type: ignore[arg-type]
