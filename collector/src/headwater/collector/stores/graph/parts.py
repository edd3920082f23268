"""Cuts a batch into parts that are written side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from zlib import crc32

from headwater.collector.stores.base import ProjectedEvent

_MIN_EVENTS: Final = 100
"""Of a part, about: a smaller one costs more in round trips than it saves."""


def parts_of(batch: Sequence[ProjectedEvent], most: int) -> list[Sequence[ProjectedEvent]]:
    """At most ``most`` parts; all events of one job are in one, so that parts seldom wait for each other's locks."""
    count = min(most, len(batch) // _MIN_EVENTS)
    if count < 2:
        return [batch]
    parts: list[list[ProjectedEvent]] = [[] for _ in range(count)]
    for each in batch:
        about = each.event.job or (each.event.dataset and each.event.dataset.name) or ("", "")
        parts[crc32("\0".join(about).encode()) % count].append(each)
    return [part for part in parts if part]
