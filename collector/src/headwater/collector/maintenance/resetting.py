"""Deletes what stores hold: for tests and demos."""

from __future__ import annotations

from typing import Protocol, runtime_checkable


@runtime_checkable
class Resettable(Protocol):
    """A store that can be emptied. Raises TransientError, PermanentError or ConfigurationError."""

    async def reset(self) -> None:
        """Deletes every event and every fact, of whatever version, and what marks a rebuild; other things in the same
        database stay. The store need not be open. Idempotent."""
        ...
