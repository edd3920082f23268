"""``headwater reset``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ..exits import UsageError
from ..options import DirOption, JsonOption
from ..output import show_json, show_lines


def reset(
    yes: Annotated[bool, typer.Option("--yes", help="Do it; else it only says what it would delete.")] = False,
    directory: DirOption = None,
    as_json: JsonOption = False,
) -> None:
    """Delete everything that the configured stores hold.

    For tests and demos: documents and graph are gone for good. The log and its dead letters stay.

    Example: headwater reset --dir demo --yes
    """
    import asyncio

    deleted, kept = asyncio.run(_reset(yes, directory))
    if as_json:
        show_json({"deleted": deleted, "kept": kept})
        return
    show_lines([f"{each['store']}: deleted" for each in deleted])
    show_lines([f"{name}: cannot be emptied from here, left as it is" for name in kept])


async def _reset(yes: bool, directory: Path | None) -> tuple[list[dict[str, Any]], list[str]]:
    from headwater.collector.maintenance.planning import holdings_of
    from headwater.collector.maintenance.resetting import Resettable

    from ..configured import built_stores, settings_of
    from ..render.holdings import holdings_json, told

    async with built_stores(settings_of(directory)) as manager:
        members = [member.store for member in manager.stores.members.values()]
        stores = [store for store in members if isinstance(store, Resettable)]
        held = await holdings_of([store for store in members if store in stores])
        if not yes:
            words = "; ".join(map(told, held)) or "nothing that can be emptied from here"
            raise UsageError(f"this would delete all that these hold: {words}", "say --yes")
        for store in stores:
            await store.reset()
        kept = [store.name for store in members if not isinstance(store, Resettable)]
    return [holdings_json(each) for each in held], kept
