"""headwater's collector: stores every OpenLineage event and answers which run, code and inputs made the data.

Each name is imported when it is first asked for, so that ``import headwater.collector`` stays quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from headwater.shared.event import LineageEvent

    from .manager import LineageManager
    from .service import LineageCollectorService
    from .stores.base import LineageStoreProtocol
    from .stores.composite import CompositeLineageStore

__all__ = [
    "CompositeLineageStore",
    "LineageCollectorService",
    "LineageEvent",
    "LineageManager",
    "LineageStoreProtocol",
]

_HOMES: Final = {
    "CompositeLineageStore": "headwater.collector.stores.composite",
    "LineageCollectorService": "headwater.collector.service",
    "LineageEvent": "headwater.shared.event",
    "LineageManager": "headwater.collector.manager",
    "LineageStoreProtocol": "headwater.collector.stores.base",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return sorted(__all__)
