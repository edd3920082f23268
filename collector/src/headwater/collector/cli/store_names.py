"""A store named on the command line: one of the configuration's tables, or a URL."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .exits import UsageError

if TYPE_CHECKING:
    from headwater.collector.settings import Settings
    from headwater.collector.stores.base import LineageStoreProtocol

_KINDS = {
    "sqlite": ("sql", "url"),
    "postgresql": ("sql", "url"),
    "mongodb": ("document", "connection"),
    "mongodb+srv": ("document", "connection"),
    "bolt": ("graph", "connection"),
    "neo4j": ("graph", "connection"),
}


def named_store(text: str, settings: Settings, *, role: str, read_only: bool = False) -> LineageStoreProtocol:
    """Not opened. A URL's store is called by its ``role``. Raises UsageError or ConfigurationError."""
    from headwater.collector.redact import redacted
    from headwater.collector.stores.registry import build_store

    scheme, separator, _ = text.partition("://")
    if not separator:
        return build_store(text, settings, read_only=read_only)
    base = scheme if scheme == "mongodb+srv" else scheme.partition("+")[0]
    if base not in _KINDS:
        remedy = f"begin with {', '.join(_KINDS)}, or name a configured store"
        raise UsageError(f"{redacted(text)}: no store has such URLs", remedy)
    kind, key = _KINDS[base]
    settings = settings.with_default_option(role, "type", kind).with_default_option(role, key, text)
    return build_store(role, settings, read_only=read_only)
