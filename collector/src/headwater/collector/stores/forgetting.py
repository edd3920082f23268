"""How a store takes away what is no longer to be kept: for retention and erasure, never a part of writing events."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, NamedTuple, Protocol, runtime_checkable

STATISTICS: Final = ("dataQualityAssertions", "dataQualityMetrics", "inputStatistics", "outputStatistics")
"""Facets of a run's inputs and outputs that count rows and bytes: no question of evidence reads them."""


class DocumentRef(NamedTuple):
    """A stored event of a run."""

    event_id: str
    run: str
    received_at: str
    """Canonical."""


@runtime_checkable
class Forgets(Protocol):
    """An open store. Calls are idempotent. Raises TransientError or PermanentError."""

    async def forget(self, runs: Collection[str], event_ids: Collection[str]) -> None:
        """Takes away every fact of these runs (state, reads, writes, facets, generations) and these events, whichever
        the store keeps. Facts about jobs and datasets stay. Durable when it returns; in one transaction where the store
        has both."""
        ...

    async def forget_statistics(self, runs: Collection[str]) -> int:
        """Takes away the facets named in ``STATISTICS`` of what these runs read and wrote. How many, where that can be
        told."""
        ...


@runtime_checkable
class RefersDocuments(Protocol):
    """A store that keeps events whole, and finds those of a run."""

    async def documents_of_runs(self, runs: Collection[str]) -> list[DocumentRef]: ...


@runtime_checkable
class HasUnusedValues(Protocol):
    """A store that keeps what is said many times once, and can tell what nobody says any more."""

    async def forget_unused_values(self) -> None: ...
