"""What drivers say through the standard library's logging, in our form and at most one line a minute of each."""

from __future__ import annotations

import logging

from headwater.collector.redact import redacted
from headwater.collector.sparse import SparseLog
from headwater.shared.clock import Clock, SystemClock

_MAX_CHARS = 500


class DriverLines(logging.Handler):
    """Drivers repeat themselves for as long as a server is away, and what they mean for events is said elsewhere. Their
    warnings and errors show as ``driver``, with the name of the logger; one line a minute of each name."""

    def __init__(self, clock: Clock | None = None) -> None:
        super().__init__(logging.WARNING)
        self._lines = SparseLog(clock if clock is not None else SystemClock())

    def emit(self, record: logging.LogRecord) -> None:
        try:
            said = redacted(record.getMessage())
            text = (said if isinstance(said, str) else str(said))[:_MAX_CHARS]
            say = self._lines.error if record.levelno >= logging.ERROR else self._lines.warning
            say("driver", of=record.name, logger=record.name, message=text)
        except Exception:  # what logging's own handlers do: a log line never breaks what it is about
            self.handleError(record)


def tell_driver_lines() -> None:
    """For a program's main. Without any handler the standard library writes warnings bare to standard error."""
    root = logging.getLogger()
    if not any(isinstance(handler, DriverLines) for handler in root.handlers):
        root.addHandler(DriverLines())
