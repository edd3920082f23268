"""How long a store may take, said in one way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

from headwater.shared.errors import TransientError

_ENDING_S = 2.0
"""What a call that was broken off may take to end: a driver closes its connection."""


@asynccontextmanager
async def within(deadline_s: float, who: str) -> AsyncIterator[None]:
    """Breaks off what takes longer; a driver's own time limit counts as well. Raises TransientError."""
    try:
        async with asyncio.timeout(deadline_s):
            yield
    except TimeoutError as error:
        raise _late(who, deadline_s) from error


class Bounded:
    """Calls into a driver that end in time whatever it makes of being broken off: each is a task of its own.

    ``within`` relies on the driver. One that swallows the cancellation goes on for ever. One that passes it on twice
    (Neo4j's does in places, with ``current_task().cancel()``) leaves the caller with a CancelledError that nobody asked
    for and that no ``except Exception`` sees: it ends the caller's task without a word.
    """

    def __init__(self, who: str, *, ending_s: float = _ENDING_S) -> None:
        self._who, self._ending_s = who, ending_s
        self._left: asyncio.Task[None] | None = None

    async def call(self, work: Coroutine[Any, Any, None], deadline_s: float) -> None:
        """Raises what the work raises, TimeoutError as TransientError, and TransientError where it takes longer, was
        cancelled from inside, or while an earlier call that was broken off still goes on."""
        if self._left is not None and not self._left.done():
            work.close()
            raise TransientError(f"{self._who} still has a call in hand that was broken off")
        task = asyncio.create_task(work, name=f"headwater store {self._who}")
        try:
            await asyncio.wait((task,), timeout=deadline_s)
            broken_off = not task.done()
        finally:
            if not task.done():
                await self._break_off(task)
        if broken_off and not _succeeded(task):
            raise _late(self._who, deadline_s)
        if task.cancelled():
            raise TransientError(f"{self._who} broke off the call by itself")
        try:
            task.result()
        except TimeoutError as error:
            raise _late(self._who, deadline_s) from error

    async def _break_off(self, task: asyncio.Task[None]) -> None:
        task.cancel()
        await asyncio.wait((task,), timeout=self._ending_s)
        if not task.done():
            self._left = task
            task.add_done_callback(_succeeded)


def _late(who: str, deadline_s: float) -> TransientError:
    return TransientError(f"{who} did not answer within {deadline_s:g} s")


def _succeeded(task: asyncio.Task[None]) -> bool:
    """Whether it came to a good end. Looks at its error, or asyncio would complain that nobody did."""
    return task.done() and not task.cancelled() and task.exception() is None
