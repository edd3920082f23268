"""Names that mean something to some engine, and must mean nothing to a store: others with every seed."""

from __future__ import annotations

from headwater.collector.testing.conformance import hostile
from headwater.collector.testing.conformance.hostile import event
from tests.support.seeds import rng

__all__ = ["event", "names"]


def names(count: int = 500) -> list[str]:
    """So many different ones, the same in every run with the same seed."""
    return hostile.names(count, rng("hostile names"))
