"""How far behind a lane is, and waiting until it is not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from headwater.shared.errors import TransientError
from headwater.shared.log import LogConsumer


class Progress:
    """The lag of one lane, sampled by the lane itself: a consumer is not shared between tasks."""

    def __init__(self, observe: Callable[[int], None]) -> None:
        self.lag: int | None = None
        """Records appended and not committed, as last seen; None before the first look."""
        self.trouble: str | None = None
        """Why the log did not say it, at the last look."""
        self._observe = observe
        self._begun = self._finished = 0
        self._closed = False
        self.awaited = 0
        """How many wait for ``drained`` now."""
        self._news = asyncio.Event()

    async def sample(self, consumer: LogConsumer) -> None:
        """Asks the log. Where it does not answer, ``trouble`` says so until it does."""
        self._begun += 1
        number = self._begun
        try:
            self.lag = await consumer.lag()
        except TransientError as error:
            self.trouble = str(error)
            return
        self.trouble = None
        self._finished = number
        self._observe(self.lag)
        self._news.set()

    async def drained(self) -> bool:
        """True once, at a moment after the call, everything appended was committed; False if the lane ends before."""
        wanted = self._begun + 1
        self.awaited += 1
        try:
            while not self._closed:
                if self._finished >= wanted and self.lag == 0:
                    return True
                self._news.clear()
                await self._news.wait()
        finally:
            self.awaited -= 1
        return False

    def close(self) -> None:
        """The lane has ended."""
        self._closed = True
        self._news.set()
