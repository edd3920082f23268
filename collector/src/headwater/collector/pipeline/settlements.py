"""Where a caller that appended an event waits for what becomes of it."""

from __future__ import annotations

import asyncio
import heapq
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from itertools import count

from headwater.collector.pipeline.outcome import Outcome, Settlement

_MAX_REMEMBERED = 65_536


class Settlements:
    """The outcomes of the main topic's partition 0, as far as the pipeline has come.

    Records settle in order, so the position says it all but for those that were not stored; of these the latest
    ``max_remembered`` are known. Memory is bounded by that and by the number of waiters.
    """

    def __init__(self, max_remembered: int = _MAX_REMEMBERED) -> None:
        self._max_remembered = max_remembered
        self._forgotten = 0
        self.position = 0
        """The next offset to be settled; everything before it is, since this process started or before."""
        self._others: OrderedDict[int, Settlement] = OrderedDict()
        self._waiters: list[tuple[int, int, asyncio.Future[None]]] = []
        self._tie = count()
        self.awaited = asyncio.Event()
        """Set while somebody waits."""

    def advance(self, position: int, others: Iterable[Settlement] = ()) -> None:
        """Everything before ``position`` is settled: stored, but for ``others``. Never goes back."""
        for settlement in others:
            self._others[settlement.offset] = settlement
            if len(self._others) > self._max_remembered:
                offset, _ = self._others.popitem(last=False)
                self._forgotten = max(self._forgotten, offset + 1)
        self.position = max(self.position, position)
        while self._waiters and self._waiters[0][0] < self.position:
            _, _, future = heapq.heappop(self._waiters)
            if not future.done():
                future.set_result(None)
        if not self._waiters:
            self.awaited.clear()

    async def wait(self, offsets: Sequence[int], *, timeout_s: float) -> list[Settlement]:
        """What became of each, in the order given; ``PENDING`` for those not settled in time, and for
        those that were settled too long ago to know. Never raises."""
        last = max(offsets, default=-1)
        if last >= self.position:
            future = asyncio.get_running_loop().create_future()
            heapq.heappush(self._waiters, (last, next(self._tie), future))
            self.awaited.set()
            try:
                async with asyncio.timeout(timeout_s):
                    await future
            except TimeoutError:
                self._waiters = [waiter for waiter in self._waiters if waiter[2] is not future]
                heapq.heapify(self._waiters)
                if not self._waiters:
                    self.awaited.clear()
        return [self._settlement(offset) for offset in offsets]

    def _settlement(self, offset: int) -> Settlement:
        known = self._others.get(offset)
        if known is not None:
            return known
        stored = self._forgotten <= offset < self.position
        return Settlement(offset, Outcome.STORED if stored else Outcome.PENDING)
