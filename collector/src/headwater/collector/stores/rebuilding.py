"""How a store's graph is thrown away and made again from documents."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol, TypeAlias, runtime_checkable

from headwater.collector.stores.base import ProjectedEvent


class RebuildMarker(NamedTuple):
    """Stands in the store from before the first fact goes until the last one is back. While it is there the graph has
    less than the documents say."""

    owner: str
    """Whoever rebuilds: one that was overtaken by another stops."""
    release: str
    """Of the headwater that does it."""
    started_at: str
    """Canonical."""
    emptied: bool = False
    """False: facts of before may still be there."""
    folded: int = 0
    """Documents folded so far, where the store counts them."""


class Folded(NamedTuple):
    """What one step made of some documents."""

    documents: int
    """Looked at; 0: there are no more."""
    unreadable: tuple[tuple[str, str], ...]
    """(event id, why) of those that could not be folded."""


Prepare: TypeAlias = Callable[[bytes], ProjectedEvent | str]
"""From stored bytes to what is written, or why not."""


@runtime_checkable
class Rebuildable(Protocol):
    """A store that keeps facts. Raises TransientError, PermanentError or ConfigurationError."""

    async def empty_graph(self, marker: RebuildMarker) -> None:
        """Puts the marker, takes every fact away, of whatever version the graph is, and makes what this version needs.
        Documents stay. The store need not be open, and is not afterwards. Writes may go on. When it returns the marker
        says ``emptied``; after an interruption it does not, and this is to be called again."""
        ...

    async def take_over(self, owner: str) -> None:
        """A rebuild that was interrupted goes on under this owner. The store is open."""
        ...

    async def end_rebuild(self, owner: str) -> None:
        """Takes the marker away. The store is open. Raises PermanentError if it is another owner's."""
        ...


@runtime_checkable
class FoldsItsOwn(Rebuildable, Protocol):
    """One that keeps documents and facts in one place."""

    async def fold_next(self, owner: str, prepare: Prepare) -> Folded:
        """Folds some of its documents again that have not been, and remembers it, in one transaction. Raises
        PermanentError if the marker is another owner's."""
        ...


@runtime_checkable
class SaysRebuilding(Protocol):
    """A reader that knows of the marker."""

    async def rebuild_marker(self) -> RebuildMarker | None:
        """None: the graph is whole."""
        ...


async def trouble_of(reader: object) -> str | None:
    """What is to be said of a graph that is being rebuilt; None: it is whole. Raises TransientError."""
    marker = await reader.rebuild_marker() if isinstance(reader, SaysRebuilding) else None
    if marker is None:
        return None
    return f"the graph is not whole: a rebuild began at {marker.started_at[:19]}Z and has not ended"


def overtaken(store: str) -> str:
    """For the error of an owner whose marker is no longer there."""
    return f"store {store}: another rebuild has taken over, or has ended"
