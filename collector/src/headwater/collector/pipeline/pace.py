"""Pauses that end early when the pipeline is told to stop."""

from __future__ import annotations

import asyncio

from headwater.shared.clock import ManualClock


class Pace:
    """Shared by everything in one pipeline that waits. Belongs to one event loop."""

    def __init__(self) -> None:
        self._stop = asyncio.Event()
        self._stopped: asyncio.Task[bool] | None = None

    @property
    def stopping(self) -> bool:
        return self._stop.is_set()

    def stop(self) -> None:
        """Ends every pause, present and future."""
        self._stop.set()

    def stopped(self) -> asyncio.Task[bool]:
        """One task, done once told to stop: to wait for together with something else."""
        if self._stopped is None:
            self._stopped = asyncio.ensure_future(self._stop.wait())
        return self._stopped

    async def close(self) -> None:
        """Ends the task behind ``stopped``."""
        self._stop.set()
        if self._stopped is not None:
            await self._stopped

    async def pause(self, seconds: float) -> bool:
        """Waits; False if told to stop meanwhile."""
        if not self.stopping:
            await asyncio.wait((self.stopped(),), timeout=seconds)
        return not self.stopping


class ManualPace(Pace):
    """Does not wait but moves a ``ManualClock`` on by as much: for tests."""

    def __init__(self, clock: ManualClock) -> None:
        super().__init__()
        self._clock = clock
        self.paused_s = 0.0
        """How long it would have waited in all."""

    async def pause(self, seconds: float) -> bool:
        if not self.stopping:
            self._clock.advance(seconds)
            self.paused_s += seconds
            await asyncio.sleep(0)
        return not self.stopping
