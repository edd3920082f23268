"""The stores, each imported when it is first asked for: a driver that is not used is not paid for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from .base import LineageStoreProtocol, ProjectedEvent
    from .composite import CompositeLineageStore
    from .document import DocumentLineageStore
    from .graph import Neo4jLineageStore
    from .logging_store import LoggingLineageStore
    from .memory import MemoryLineageStore
    from .openlineage import OpenLineageStore
    from .sql import SqlLineageStore

__all__ = [
    "CompositeLineageStore",
    "DocumentLineageStore",
    "LineageStoreProtocol",
    "LoggingLineageStore",
    "MemoryLineageStore",
    "Neo4jLineageStore",
    "OpenLineageStore",
    "ProjectedEvent",
    "SqlLineageStore",
]

_HOMES: Final = {
    "CompositeLineageStore": ".composite",
    "DocumentLineageStore": ".document",
    "LineageStoreProtocol": ".base",
    "LoggingLineageStore": ".logging_store",
    "MemoryLineageStore": ".memory",
    "Neo4jLineageStore": ".graph",
    "OpenLineageStore": ".openlineage",
    "ProjectedEvent": ".base",
    "SqlLineageStore": ".sql",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(home, __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
