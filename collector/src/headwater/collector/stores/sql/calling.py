"""From coroutines to the threads in which a database is used, and its errors back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Concatenate, ParamSpec, TypeVar

from sqlalchemy.engine import Connection, Engine

from headwater.collector.stores.sql.backends.base import Backend
from headwater.collector.stores.sql.backends.guard import Guard

P = ParamSpec("P")
T = TypeVar("T")


class Caller:
    """Runs functions of a connection in some threads, each in a transaction of its own."""

    def __init__(self, backend: Backend, threads: ThreadPoolExecutor, store: str) -> None:
        self._backend, self._threads, self._store = backend, threads, store

    async def call(
        self, engine: Engine, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """What ``work`` returns. Raises TransientError or PermanentError for the backend's errors, and TransientError
        where it takes longer than the backend's ``deadline_s``. A caller that gives up takes the call with it."""
        return await self._run(engine, lambda connection: work(connection, *args, **kwargs), Guard())

    async def converse(self, engine: Engine, work: Callable[[Connection, Guard], T]) -> T:
        """As ``call``, for work that asks several times and says so to the guard: each time has the ``deadline_s``."""
        guard = Guard()
        return await self._run(engine, lambda connection: work(connection, guard), guard)

    async def _run(self, engine: Engine, work: Callable[[Connection], T], guard: Guard) -> T:
        cutting = _Cutting(guard, self._backend.deadline_s)

        def run() -> T:
            return self._backend.run(engine, work, guard)

        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, run)
        except asyncio.CancelledError:
            guard.cut()
            raise
        except self._backend.errors as error:
            raise self._backend.failure(error, self._store) from error
        finally:
            cutting.cancel()


class _Cutting:
    """Cuts once the server has been waited for so long."""

    def __init__(self, guard: Guard, deadline_s: float | None) -> None:
        self._guard, self._deadline_s = guard, deadline_s
        self._timer: asyncio.TimerHandle | None = None
        self._look()

    def _look(self) -> None:
        if self._deadline_s is not None:
            left_s = self._deadline_s - self._guard.waited_s()
            if left_s <= 0:
                self._guard.cut()
            else:
                self._timer = asyncio.get_running_loop().call_later(left_s, self._look)

    def cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
