"""An event loop for one thread at a time that runs only while somebody waits for it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine
from threading import Thread
from typing import Any, TypeVar

from .._notice import notice

T = TypeVar("T")


class _Loop(asyncio.SelectorEventLoop):
    abandoned = False

    def is_closed(self) -> bool:
        """An abandoned loop says yes, so that nothing closes it when it is collected: in a forked child that would
        take the parent's sockets off the selector that both share."""
        return self.abandoned or super().is_closed()


_INHERITED: list[object] = []
"""What a fork brought from the parent, kept so that no destructor touches the parent's connections."""


class OwnLoop:
    """Never the loop of the application, whose own may be running in the same thread."""

    def __init__(self) -> None:
        self._loop = _Loop()
        self._loop.set_exception_handler(_tell)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Runs it to its end, with all that the loop has to do besides."""
        return self._loop.run_until_complete(work)

    def end(self, last: Coroutine[Any, Any, Any] | None, *, timeout_s: float) -> None:
        """Runs ``last`` and closes the loop. In a thread of its own where another loop runs in this one."""
        if asyncio._get_running_loop() is None:
            self._end(last, timeout_s)
            return
        thread = Thread(target=self._end, args=(last, timeout_s), name="headwater-kafka-close", daemon=True)
        thread.start()
        thread.join(timeout_s + 1)

    def _end(self, last: Coroutine[Any, Any, Any] | None, timeout_s: float) -> None:
        loop = self._loop
        try:
            if last is not None:
                with contextlib.suppress(Exception):  # what it was to say goodbye to may be gone
                    loop.run_until_complete(asyncio.wait_for(last, timeout_s))
            loop.run_until_complete(_cancel_the_rest())
        finally:
            loop.close()

    def forget(self, *others: object) -> None:
        """In a forked child."""
        self._loop.abandoned = True
        _INHERITED.extend((self._loop, *others))


def _tell(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """What the loop has to say. That tasks were left when the process ended is no news: the events are in the spool."""
    error = context.get("exception")
    if error is not None:
        notice("kafka", "headwater: %s: %r", context.get("message"), error)


async def _cancel_the_rest() -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
