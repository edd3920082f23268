"""Runs one asynchronous question from a synchronous command."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from .sources import Source, opened

T = TypeVar("T")


def ask(directory: Path | None, api: str | None, question: Callable[[Source], Awaitable[T]]) -> T:
    """Opens the source that the options name, asks, closes."""
    import asyncio

    async def whole() -> T:
        async with opened(directory, api) as source:
            return await question(source)

    return asyncio.run(whole())
