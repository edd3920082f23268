"""``track_lineage``: a run around every call of a function."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import wraps
from types import CoroutineType
from typing import Any, ParamSpec, Protocol, TypeVar, cast

from ._calls import is_async_generator_function, is_coroutine_function, is_generator_function
from ._generators import async_driver, drive
from ._run import Run

P = ParamSpec("P")
R = TypeVar("R")


class OpensRuns(Protocol):
    """What the decorator needs of a producer: told once, asked at every call."""

    @property
    def on(self) -> bool:
        """Whether lineage is on. Cheap: asked at every call."""
        ...

    def open(self) -> Run:
        """A run of the decorated job, not yet started; one that does nothing where lineage is off. Never raises."""
        ...


def tracked(function: Callable[P, R], job: OpensRuns) -> Callable[P, R]:
    """The function with a run around each call: sync or async, generator or async generator, classmethod or
    staticmethod. What it returns, yields and raises passes untouched."""
    if isinstance(function, (classmethod, staticmethod)):
        return cast("Callable[P, R]", type(function)(tracked(function.__func__, job)))
    if is_coroutine_function(function):
        return cast("Callable[P, R]", _coroutine(cast("Callable[P, Coroutine[Any, Any, Any]]", function), job))
    if is_generator_function(function):
        return cast("Callable[P, R]", _generator(function, job))
    if is_async_generator_function(function):
        return cast("Callable[P, R]", async_driver(function, job.open))
    return _plain(function, job)


def _plain(function: Callable[P, R], job: OpensRuns) -> Callable[P, R]:
    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        if not job.on:
            return function(*args, **kwargs)
        run = job.open()
        run.start()
        run.enter()
        try:
            result = function(*args, **kwargs)
        except BaseException as error:
            run.leave()
            run.end(error)
            raise
        run.leave()
        if type(result) is CoroutineType:  # an async function that another decorator hides
            return cast(R, _awaited(cast("Coroutine[Any, Any, Any]", result), run))
        run.complete()
        return result

    return call


async def _awaited(coroutine: Coroutine[Any, Any, Any], run: Run) -> Any:
    run.enter()
    try:
        result = await coroutine
    except BaseException as error:
        run.leave()
        run.end(error)
        raise
    run.leave()
    run.complete()
    return result


def _coroutine(
    function: Callable[P, Coroutine[Any, Any, Any]], job: OpensRuns
) -> Callable[P, Coroutine[Any, Any, Any]]:
    @wraps(function)
    async def call(*args: P.args, **kwargs: P.kwargs) -> Any:
        if not job.on:
            return await function(*args, **kwargs)
        run = job.open()
        run.start()
        run.enter()
        try:
            result = await function(*args, **kwargs)
        except BaseException as error:
            run.leave()
            run.end(error)
            raise
        run.leave()
        run.complete()
        return result

    return call


def _generator(function: Callable[P, Any], job: OpensRuns) -> Callable[P, Any]:
    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> Any:
        if not job.on:
            return (yield from function(*args, **kwargs))
        return (yield from drive(function(*args, **kwargs), job.open()))

    return call
