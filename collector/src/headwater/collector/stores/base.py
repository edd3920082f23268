"""The contract that every store keeps, and the values that cross it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from headwater.collector.facts import Projection
from headwater.shared.event import LineageEvent


class ProjectedEvent(NamedTuple):
    """An event beside what it says, projected once for all stores."""

    event: LineageEvent
    projection: Projection


@runtime_checkable
class LineageStoreProtocol(Protocol):
    """A place that keeps events, facts, or both.

    ``write`` MUST be idempotent and commutative: the same events in any order, any batches and any number of copies
    leave the same state. It MUST return only when the batch is durable, and MUST raise only TransientError (try
    the same batch again) or PermanentError (this batch will never be taken); on either, nothing or a part of the
    batch may have been written. It MUST come back within its configured deadline. A store is used from one event loop.

    A store whose class says ``reads_bodies = False`` may be given events in outline: it saves memory and time where no
    other store needs more. See ``headwater.shared.event.outline``. One that says ``remote = True`` has a server do the
    work: meanwhile the collector prepares the next batch.
    """

    name: str
    """As in configuration, metrics, dead letters and logs."""

    async def open(self) -> None:
        """Connects; makes tables, constraints and indexes. Idempotent. Raises TransientError, PermanentError or
        ConfigurationError."""
        ...

    async def write(self, batch: Sequence[ProjectedEvent]) -> None:
        """Takes all events of the batch, see above."""
        ...

    async def ping(self) -> None:
        """Raises TransientError if the store cannot take a write now. Cheap."""
        ...

    async def close(self) -> None:
        """Idempotent; no write is running."""
        ...
