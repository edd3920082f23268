"""Appends of concurrent callers, gathered: while one write is on its way to the disk the next ones collect, and go as
one.

So the number of fsyncs follows the disk and not the number of callers.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence

from ..errors import HeadwaterError, LogFullError, PermanentError
from .base import Record
from .segments import SegmentLog

_MOST_BYTES = 16 << 20

InThread = Callable[[Callable[[], range]], Awaitable[range]]


class GatheredAppends:
    """Appends to one topic from one event loop."""

    def __init__(self, log: SegmentLog, in_thread: InThread) -> None:
        self._log, self._in_thread = log, in_thread
        self._waiting: deque[tuple[Sequence[Record], asyncio.Future[range]]] = deque()
        self._task: asyncio.Task[None] | None = None

    async def append(self, records: Sequence[Record]) -> range:
        """The offsets, once durable. Raises as ``SegmentLog.append``. The append of a cancelled caller goes on."""
        future: asyncio.Future[range] = asyncio.get_running_loop().create_future()
        self._waiting.append((records, future))
        if self._task is None:
            self._task = asyncio.create_task(self._work())
        return await future

    async def close(self) -> None:
        """Waits for what is on its way."""
        if self._task is not None:
            await self._task

    async def _work(self) -> None:
        try:
            while self._waiting:
                await self._append_together(self._gather())
        finally:
            self._task = None
            for _, future in self._waiting:  # only if this task was cancelled with its loop
                future.cancel()
            self._waiting.clear()

    def _gather(self) -> list[tuple[Sequence[Record], asyncio.Future[range]]]:
        gathered, size = [], 0
        while self._waiting and size < _MOST_BYTES:
            records, future = self._waiting.popleft()
            gathered.append((records, future))
            size += sum(len(record.value) for record in records)
        return gathered

    async def _append_together(self, gathered: list[tuple[Sequence[Record], asyncio.Future[range]]]) -> None:
        try:
            every = [record for records, _ in gathered for record in records]
            begun = self._log.begin(every)
            offsets = await self._in_thread(lambda: self._log.finish(begun) if begun else self._log.append(every))
        except (LogFullError, PermanentError) as error:
            if len(gathered) == 1:
                _fail(gathered, error)
                return
            for one in gathered:  # one that is too large must not fail the others
                await self._append_together([one])
        except HeadwaterError as error:
            _fail(gathered, error)
        except BaseException as error:
            _fail(gathered, error)
            raise
        else:
            start = 0
            for records, future in gathered:
                if not future.done():
                    future.set_result(offsets[start : start + len(records)])
                start += len(records)


def _fail(gathered: list[tuple[Sequence[Record], asyncio.Future[range]]], error: BaseException) -> None:
    for _, future in gathered:
        if future.done():
            continue
        if isinstance(error, asyncio.CancelledError):
            future.cancel()
        else:
            future.set_exception(error)
