"""The stores whose documents can be sealed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from ...exits import UsageError

if TYPE_CHECKING:
    from headwater.collector.stores.auditing import EventIds
    from headwater.collector.stores.sealing import Trail

StoreOption = Annotated[
    list[str] | None, typer.Option("--store", metavar="NAME", help="Only this one; may be repeated.")
]


class Audited(NamedTuple):
    """One open store."""

    name: str
    trail: Trail
    ids: EventIds


@asynccontextmanager
async def audited_stores(
    directory: Path | None, names: list[str] | None, *, writing: bool
) -> AsyncIterator[list[Audited]]:
    """The configured stores that keep events whole, or those named. Raises UsageError if there are none."""
    from headwater.collector.maintenance.parties import party_of
    from headwater.collector.stores.registry import build_store, chosen_stores
    from headwater.collector.stores.sealing import Sealable

    from ...configured import settings_of

    settings = settings_of(directory)
    chosen = chosen_stores(settings)
    if unknown := [name for name in names or () if name not in chosen]:
        raise UsageError(f"no store {unknown[0]!r} is configured", f"there are: {', '.join(chosen)}")
    built = [build_store(name, settings, read_only=not writing) for name in chosen if not names or name in names]
    found: list[Audited] = []
    try:
        for each in built:
            if isinstance(each, Sealable):
                await each.open()
                if (party := party_of(each)) is not None:
                    found.append(Audited(each.name, each.trail(), party.ids))
        if not found:
            raise UsageError("none of the configured stores keeps events whole", "sql and document do")
        yield found
    finally:
        for each in built:
            await each.close()
