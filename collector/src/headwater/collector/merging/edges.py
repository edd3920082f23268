"""For how long a job keeps an edge to what it read or wrote (rule 8)."""

from __future__ import annotations

from datetime import datetime, timedelta

EDGE_WINDOW = timedelta(days=30)
"""How long before a job's latest run an edge may have been seen last."""
EdgeKey = tuple[bytes, int, bytes]
"""(job, side, dataset)."""


def window_start(last: str) -> str:
    """The canonical time ``EDGE_WINDOW`` before ``last``."""
    try:
        start = datetime.fromisoformat(last[:19]) - EDGE_WINDOW
    except OverflowError:
        return "0001-01-01T00:00:00.000000000Z"
    return start.isoformat() + last[19:]
