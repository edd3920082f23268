"""``headwater audit head``."""

from __future__ import annotations

from pathlib import Path

import typer

from ...exits import DONE, NOT_DONE
from ...options import DirOption, JsonOption
from ...output import show_json, show_lines
from .opening import StoreOption, audited_stores


def head(stores: StoreOption = None, directory: DirOption = None, as_json: JsonOption = False) -> None:
    """Print the last seal, to be kept elsewhere.

    Status 1: nothing is sealed yet.

    Example: headwater audit head
    """
    import asyncio

    found = asyncio.run(_heads(stores, directory))
    if as_json:
        show_json(found)
    else:
        show_lines(f"{name} {text or 'nothing sealed'}" for name, text in found.items())
    raise typer.Exit(DONE if all(found.values()) else NOT_DONE)


async def _heads(names: list[str] | None, directory: Path | None) -> dict[str, str | None]:
    found: dict[str, str | None] = {}
    async with audited_stores(directory, names, writing=False) as stores:
        for store in stores:
            seal = await store.trail.head()
            found[store.name] = None if seal is None else f"{seal.number}:{seal.hash.hex()}"
    return found
