"""Checks of the configured stores: each is built, connected to and asked what it holds, all at once."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from headwater.shared.errors import ConfigurationError, HeadwaterError

from .check import Check, away, misconfigured, ok, wrong

if TYPE_CHECKING:
    from headwater.collector.settings import Settings
    from headwater.collector.stores.base import LineageStoreProtocol

_CONNECTION = "connection_name"


async def stores(settings: Settings, deadline_s: float) -> list[Check]:
    """A check of each. Changes nothing; one that does not answer within the deadline is away."""
    from headwater.collector.stores.registry import chosen_stores

    names = chosen_stores(settings)
    if not names:
        return [wrong("store", "composite of nothing", "name stores in lineage.store.backends")]
    return list(await asyncio.gather(*(_store(name, settings, deadline_s) for name in names)))


async def _store(name: str, settings: Settings, deadline_s: float) -> Check:
    from headwater.collector.stores.deadline import within
    from headwater.collector.stores.registry import build_store

    title = f"store {name}"
    try:
        store = build_store(name, settings, read_only=True)
        try:
            async with within(deadline_s, title):
                return ok(title, await _seen_by(store))
        finally:
            await store.close()
    except ConfigurationError as error:
        return misconfigured(title, error)
    except HeadwaterError as error:
        key, value = _place(name, settings)
        remedy = f"start the server, or mend {key} (now {value!r}), its user, password and rights"
        return away(title, str(error), remedy, key=key, value=value)


async def _seen_by(store: LineageStoreProtocol) -> str:
    from headwater.collector.stores.inspecting import Inspectable

    return await store.inspect() if isinstance(store, Inspectable) else "is installed and configured"


def _place(name: str, settings: Settings) -> tuple[str, Any]:
    """The setting that says where the store is, and its value."""
    from headwater.collector.redact import redacted

    options = settings.lineage.store.options(name)
    for key, said in options.items():
        if key.endswith(_CONNECTION):
            uri = settings.connection(str(said), asked_by=f"lineage.store.{name}.{key}").uri
            return f"connections.{said}.uri", redacted(uri)
    return f"lineage.store.{name}.url", redacted(options.get("url"))
