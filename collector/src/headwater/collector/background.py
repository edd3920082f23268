"""Work that goes on beside a collector until it stops."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AsyncExitStack
from typing import Any


def go_on(stack: AsyncExitStack, work: Coroutine[Any, Any, None], name: str) -> None:
    """Starts the work; the end of ``stack`` cancels it and waits for it. What it raises is nobody's."""
    task = asyncio.create_task(work, name=name)
    stack.push_async_callback(_ended, task)


async def every(seconds: float, do: Callable[[], Awaitable[object]], *, first_s: float = 0.0) -> None:
    """Does it again and again, ``seconds`` between two times, until it is cancelled."""
    await asyncio.sleep(first_s)
    while True:
        await do()
        await asyncio.sleep(seconds)


async def _ended(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
