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
        guard, deadline_s = Guard(), self._backend.deadline_s
        loop = asyncio.get_running_loop()
        cutting = loop.call_later(deadline_s, guard.cut) if deadline_s is not None else None

        def run() -> T:
            return self._backend.run(engine, lambda connection: work(connection, *args, **kwargs), guard)

        try:
            return await loop.run_in_executor(self._threads, run)
        except asyncio.CancelledError:
            guard.cut()
            raise
        except self._backend.errors as error:
            raise self._backend.failure(error, self._store) from error
        finally:
            if cutting is not None:
                cutting.cancel()
