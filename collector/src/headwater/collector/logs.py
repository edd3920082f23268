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


def configure_logs(
    *, style: Literal["json", "text"] = "json", level: str = "INFO", stream: TextIO | None = None
) -> None:
    """Sets structlog up for this process: for a program's main, never for a library. ``json`` for machines, ``text``
    for a terminal; to ``stream``, by default standard error, so that standard output stays an answer's own."""
    stream = sys.stderr if stream is None else stream
    renderers: list[Any] = (
        [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
        if style == "json"
        else [structlog.dev.ConsoleRenderer(colors=stream.isatty())]
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
        logger_factory=structlog.PrintLoggerFactory(file=stream),
        cache_logger_on_first_use=False,
    )
