"""How the collector logs: structlog, one event a line, without secrets."""

from __future__ import annotations

import logging
import sys
from collections.abc import MutableMapping
from typing import Any, Literal, TextIO

import structlog

from headwater.collector.redact import redacted


def _redact(logger: Any, method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    return {key: redacted(value, key) for key, value in event.items()}


class _Lines:
    """Writes lines to a stream, without one to standard error as it is at the time. A stream that is closed or full
    costs the line, never the work that the line is about."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream

    def msg(self, message: str) -> None:
        stream = sys.stderr if self._stream is None else self._stream
        try:
            stream.write(message + "\n")
            stream.flush()
        except (OSError, ValueError, AttributeError):  # full or a broken pipe; closed; there is none
            pass

    debug = info = warning = error = critical = exception = log = msg


def configure_logs(
    *, style: Literal["json", "text"] = "json", level: str = "INFO", stream: TextIO | None = None
) -> None:
    """Sets structlog up for this process: for a program's main, never for a library. ``json`` for machines, ``text``
    for a terminal; to ``stream``, by default standard error, so that standard output stays an answer's own."""
    lines, terminal = _Lines(stream), sys.stderr if stream is None else stream
    renderers: list[Any] = (
        [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
        if style == "json"
        else [structlog.dev.ConsoleRenderer(colors=terminal.isatty())]
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _redact,
            *renderers,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        logger_factory=lambda *args: lines,
        cache_logger_on_first_use=False,
    )
