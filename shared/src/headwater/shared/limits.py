"""The numbers that bound what headwater accepts. Checked in one place: the codec."""

from __future__ import annotations

from typing import NamedTuple


class Limits(NamedTuple):
    """Frozen limits of one decoder. The defaults take every event seen in the wild, Spark's logical plans included."""

    max_event_bytes: int = 16 * 1024 * 1024
    """Of the raw bytes of one event."""
    max_depth: int = 100
    """Of nested objects and arrays."""
    max_name_chars: int = 4096
    """Of a namespace, a job name, a dataset name or a declared version."""
    max_datasets: int = 10_000
    """Of inputs, and of outputs, in one event."""


DEFAULT_LIMITS = Limits()
