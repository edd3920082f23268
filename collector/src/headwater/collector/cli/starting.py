"""What the long-running commands begin with."""

from __future__ import annotations

import sys
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from headwater.collector.settings import Settings


def run_until_complete(work: Coroutine[Any, Any, None]) -> None:
    """``asyncio.run``, on uvloop's faster event loop where that is installed."""
    import asyncio

    try:
        import uvloop
    except ImportError:
        asyncio.run(work)
    else:
        uvloop.run(work)


def log_to_stderr() -> None:
    """One line an event: JSON, or text on a terminal."""
    from headwater.collector.logs import configure_logs

    configure_logs(style="text" if sys.stderr.isatty() else "json")


def settings_for(create_topics: bool) -> Settings:
    """The settings; the option wins over what they say of ``create_topics``."""
    from headwater.collector.settings import Settings

    return Settings(lineage={"kafka": {"create_topics": True}}) if create_topics else Settings()
