"""aiokafka logs every failed try, several a second while a broker is down; what matters of it is raised as an error of
ours, which its catcher tells, once."""

from __future__ import annotations

import logging
import time

_EVERY_S = 60.0
_ROOT = "aiokafka"


class _Unexpected(logging.Filter):
    """Lets through what carries a traceback, once a minute a kind, and nothing else."""

    def __init__(self) -> None:
        super().__init__()
        self._last: dict[tuple[str, str], float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        if logging.getLogger(_ROOT).level:  # the application has asked for it
            return True
        if not record.exc_info:
            return False
        kind, now = (record.name, str(record.msg)), time.monotonic()
        if now - self._last.get(kind, -_EVERY_S) < _EVERY_S:
            return False
        self._last[kind] = now
        return True


_FILTER = _Unexpected()


def quiet_aiokafka() -> None:
    """Puts the filter on every logger of aiokafka that exists. An application that sets a level on the logger
    ``aiokafka`` sees everything from that level up. Idempotent."""
    for name, logger in list(logging.Logger.manager.loggerDict.items()):
        if name.partition(".")[0] == _ROOT and isinstance(logger, logging.Logger):
            logger.addFilter(_FILTER)
