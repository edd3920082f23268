"""What headwater says to the application's log: logger ``headwater``, at most one line a minute of each kind."""

from __future__ import annotations

import time

_INTERVAL_S = 60.0
_last: dict[str, float] = {}
_suppressed: dict[str, int] = {}


def notice(kind: str, text: str, *args: object) -> None:
    """Logs a warning unless one of this kind was logged within the last minute."""
    now = time.monotonic()
    last = _last.get(kind)
    if last is not None and now - last < _INTERVAL_S:
        _suppressed[kind] = _suppressed.get(kind, 0) + 1
        return
    _last[kind] = now  # before logging: a handler of the application may come back here
    missed = _suppressed.pop(kind, 0)
    import logging

    more = f" ({missed} more of this kind in between)" if missed else ""
    logging.getLogger("headwater").warning(text + more, *args)


def forget_notices() -> None:
    """The next notice of every kind is logged again: after a new configuration, and in tests."""
    _last.clear()
    _suppressed.clear()
