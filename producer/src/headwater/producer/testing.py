"""For the tests of applications, and for headwater's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ._default import DEFAULT
from ._guard import STATE
from ._producer import LineageProducer
from .transports.memory import MemoryTransport

__all__ = ["MemoryTransport", "capture_lineage", "raise_internal_errors"]


@contextmanager
def capture_lineage(producer: LineageProducer | None = None) -> Iterator[list[dict[str, Any]]]:
    """Lineage is on within the block, whatever the configuration, and nothing leaves the process: the list holds the
    events as dicts, in the order of emission, whichever task or thread they come from. May be nested; the innermost
    block gets the events."""
    target = producer or DEFAULT
    events: list[dict[str, Any]] = []
    before = target.begin_capture(events)
    try:
        yield events
    finally:
        target.end_capture(before)


@contextmanager
def raise_internal_errors() -> Iterator[None]:
    """Within the block the guard lets errors inside headwater out, so that a test sees them."""
    before, STATE.raising = STATE.raising, True
    try:
        yield
    finally:
        STATE.raising = before
