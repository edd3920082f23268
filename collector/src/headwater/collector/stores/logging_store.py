"""A store that writes every event as one JSON line to a stream."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from typing import TextIO

import structlog

from headwater.collector.stores.base import ProjectedEvent
from headwater.shared.errors import ConfigurationError, TransientError


class LoggingLineageStore:
    """Write only: structlog JSON lines, one for each event, flushed once for each batch.

    A line repeated is the same line, so a retry is harmless to whoever reads by ``event_id``. As durable as the stream:
    a file survives the process, a pipe is its reader's matter.
    """

    def __init__(self, stream: TextIO | str = "stderr", *, name: str = "logging") -> None:
        """``stream``: an open text stream, or "stderr" or "stdout"."""
        self.name = name
        if isinstance(stream, str):
            if stream not in ("stderr", "stdout"):
                raise ConfigurationError("lineage.store.logging.stream", stream, 'use "stderr" or "stdout"')
            stream = sys.stderr if stream == "stderr" else sys.stdout
        self._stream = stream
        self._lock = asyncio.Lock()
        self._log = structlog.wrap_logger(
            structlog.WriteLogger(file=stream),
            processors=[structlog.processors.JSONRenderer(sort_keys=False, ensure_ascii=False)],
            wrapper_class=structlog.BoundLogger,
        )

    async def open(self) -> None:
        """Nothing to do: the stream is open."""

    async def write(self, batch: Sequence[ProjectedEvent]) -> None:
        """Writes in a thread: a stream may block. Raises TransientError if the stream does not take the lines."""
        async with self._lock:
            await asyncio.to_thread(self._write, batch)

    def _write(self, batch: Sequence[ProjectedEvent]) -> None:
        try:
            for event, projection in batch:
                self._log.msg(
                    "lineage_event",
                    event_id=event.event_id,
                    kind=event.kind,
                    event_type=event.event_type,
                    event_time=event.event_time,
                    run_id=event.run_id,
                    job=None if event.job is None else event.job._asdict(),
                    problems=[problem._asdict() for problem in projection.problems],
                    body=event.body,
                )
            self._stream.flush()
        except (OSError, ValueError) as error:  # ValueError: the stream was closed
            raise TransientError(f"the log stream does not take lines: {error}") from error

    async def ping(self) -> None:
        """Raises TransientError once the stream is closed."""
        if self._stream.closed:
            raise TransientError("the log stream is closed")

    async def close(self) -> None:
        """Leaves the stream to whoever opened it."""
