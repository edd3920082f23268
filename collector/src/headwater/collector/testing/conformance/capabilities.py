"""What a test class tells the suite of its store."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from enum import Flag, auto
from typing import Protocol, TypeAlias

from headwater.collector.stores.base import LineageStoreProtocol

MakeStore: TypeAlias = Callable[[str], LineageStoreProtocol]
"""Makes a store, not opened, on the place of that name.

A place is whatever keeps the data: a folder, a database, a schema. The same name is the same place; a name that was
never asked for is an empty one. The suite goes on to the next place only when it is done with the one before, so one
database will do, emptied when the name changes. Names are of lower-case letters, digits and underscores.
"""


class Keeps(Flag):
    """What can be read back from a store."""

    NOTHING = 0
    """Write only."""
    DOCUMENTS = auto()
    """``document_reader()``, or ``reader()``."""
    GRAPH = auto()
    """``graph_reader()``, or ``reader()``."""
    BOTH = DOCUMENTS | GRAPH


class Faults(Protocol):
    """What can be done to the backend that ``make_store`` connects to. ``proxy.Proxy`` is one, for any server."""

    def hung(self) -> AbstractContextManager[None]:
        """As long as this lasts the backend takes requests and connections, and answers nothing."""
        ...

    def gone(self) -> AbstractContextManager[None]:
        """As long as this lasts nobody is there: connections break and are refused."""
        ...
