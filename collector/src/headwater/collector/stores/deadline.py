"""How long a store may take, said in one way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from headwater.shared.errors import TransientError


@asynccontextmanager
async def within(deadline_s: float, who: str) -> AsyncIterator[None]:
    """Breaks off what takes longer; a driver's own time limit counts as well. Raises TransientError."""
    try:
        async with asyncio.timeout(deadline_s):
            yield
    except TimeoutError as error:
        raise TransientError(f"{who} did not answer within {deadline_s:g} s") from error
