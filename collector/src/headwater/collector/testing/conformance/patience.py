"""What a caller of a store does about a TransientError."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from headwater.shared.errors import TransientError

_TRIES = 30


async def patiently(call: Callable[[], Awaitable[None]]) -> None:
    """Again with growing pauses, for about a minute. Raises the last TransientError, and everything else at once."""
    pause_s = 0.02
    for _ in range(_TRIES):
        try:
            return await call()
        except TransientError:
            await asyncio.sleep(pause_s)
            pause_s = min(pause_s * 1.5, 3.0)
    return await call()
