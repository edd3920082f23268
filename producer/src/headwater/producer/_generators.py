"""Runs around generators: the run is current only while the generator's own code runs, never between its items."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Generator
from functools import wraps
from typing import Any, ParamSpec

from ._run import Run

P = ParamSpec("P")


def drive(source: Generator[Any, Any, Any], run: Run) -> Generator[Any, Any, Any]:
    """Iterates ``source`` within ``run``, as ``yield from`` would (PEP 380): START at the first item asked for, ABORT
    if it is abandoned."""
    run.start()
    step: Callable[[], Any] = source.__next__
    try:
        while True:
            run.enter()
            try:
                item = step()
            finally:
                run.leave()
            try:
                sent = yield item
            except GeneratorExit:
                _close(source, run)
                raise
            except BaseException as error:
                step = _thrower(source, error)
            else:
                step = source.__next__ if sent is None else _sender(source, sent)
    except StopIteration as stop:
        run.complete()
        return stop.value
    except BaseException as error:
        run.end(error)
        raise


def _close(source: Generator[Any, Any, Any], run: Run) -> None:
    run.enter()
    try:
        source.close()
    finally:
        run.leave()


def _thrower(source: Generator[Any, Any, Any], error: BaseException) -> Callable[[], Any]:
    return lambda: source.throw(error)


def _sender(source: Generator[Any, Any, Any], value: Any) -> Callable[[], Any]:
    return lambda: source.send(value)


def async_driver(function: Callable[P, Any], run_for: Callable[[], Run]) -> Callable[P, Any]:
    """The same for an async generator function. Python has no ``yield from`` there, so this is
    the outermost generator."""

    @wraps(function)
    async def call(*args: P.args, **kwargs: P.kwargs) -> Any:
        source = function(*args, **kwargs)
        run = run_for()
        run.start()
        step = source.__anext__()
        try:
            while True:
                run.enter()
                try:
                    item = await step
                finally:
                    run.leave()
                try:
                    sent = yield item
                except GeneratorExit:
                    await _aclose(source, run)
                    raise
                except BaseException as error:
                    step = source.athrow(error)
                else:
                    step = source.asend(sent)
        except StopAsyncIteration:
            run.complete()
        except BaseException as error:
            run.end(error)
            raise

    return call


async def _aclose(source: AsyncGenerator[Any, Any], run: Run) -> None:
    run.enter()
    try:
        await source.aclose()
    finally:
        run.leave()
