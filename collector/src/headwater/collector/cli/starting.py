"""What the long-running commands begin with."""

from __future__ import annotations

import sys
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import asyncio

    from headwater.collector.settings import Settings


Work: TypeAlias = "Callable[[asyncio.Event], Coroutine[Any, Any, None]]"
"""Given the event that a signal sets."""

_CLOSING_S = 10.0
"""What closing the log and the stores may take beyond the deadline."""


def run_until_complete(work: Work, *, deadline_s: float) -> None:
    """Runs it, on uvloop's faster event loop where that is installed.

    SIGTERM ends it at any time: before the work listens to signals itself by cancelling it. A process that still runs
    ``deadline_s`` and 10 seconds after that, perhaps in a driver's thread that hangs, is ended with status 1: what it
    had in hand is not committed, and is read again.
    """
    import asyncio

    try:
        import uvloop
    except ImportError:
        asyncio.run(_stoppable(work, deadline_s))
    else:
        uvloop.run(_stoppable(work, deadline_s))


async def _stoppable(work: Work, deadline_s: float) -> None:
    import asyncio
    import signal
    from contextlib import suppress

    stop, working = asyncio.Event(), asyncio.current_task()

    def ask() -> None:
        stop.set()
        if working is not None:
            working.cancel()

    with suppress(ValueError, RuntimeError, NotImplementedError):  # not the main thread, or no such thing here
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ask)
    watching = asyncio.create_task(_end_within(stop, deadline_s + _CLOSING_S))
    try:
        await work(stop)
    except asyncio.CancelledError:
        if not stop.is_set():
            raise
    finally:
        watching.cancel()


async def _end_within(stop: asyncio.Event, seconds: float) -> None:
    import threading

    await stop.wait()
    # A thread: it outlives the event loop, whose own end waits for the threads of drivers.
    timer = threading.Timer(seconds, _break_off, (seconds,))
    timer.daemon = True
    timer.start()


def _break_off(seconds: float) -> None:
    import os

    import structlog

    from .exits import NOT_DONE

    structlog.get_logger("headwater.collector").error("broken_off", after_s=seconds)
    os._exit(NOT_DONE)


def log_to_stderr() -> None:
    """One line an event: JSON, or text on a terminal."""
    from headwater.collector.driver_lines import tell_driver_lines
    from headwater.collector.logs import configure_logs

    configure_logs(style="text" if sys.stderr.isatty() else "json")
    tell_driver_lines()


def settings_for(create_topics: bool, store: str | None = None) -> Settings:
    """The settings; the options win over what they say of ``create_topics`` and of the store's name."""
    from headwater.collector.settings import Settings

    said: dict[str, Any] = {"kafka": {"create_topics": True}} if create_topics else {}
    if store is not None:
        said["store"] = {"backend": store}
    return Settings(lineage=said) if said else Settings()
