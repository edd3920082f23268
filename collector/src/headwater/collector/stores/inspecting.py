"""What a store can say of its engine before it is opened: for ``headwater doctor``."""

from __future__ import annotations

from typing import Protocol, runtime_checkable


@runtime_checkable
class Inspectable(Protocol):
    """A store that can look at its engine and leave it as it is."""

    async def inspect(self) -> str:
        """What is there, in a few words: product, version, whether headwater's tables are made. Connects, changes
        nothing, disconnects. Raises TransientError if the engine does not answer, ConfigurationError if what it holds
        is not for this headwater."""
        ...
