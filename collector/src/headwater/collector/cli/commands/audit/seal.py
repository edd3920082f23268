"""``headwater audit seal``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ...options import DirOption, JsonOption
from ...output import show_json, show_lines
from .opening import StoreOption, audited_stores


def seal(
    grace: Annotated[
        float, typer.Option(min=0, metavar="SECONDS", help="How old an event is before it is sealed.")
    ] = 60.0,
    sweep: Annotated[
        bool, typer.Option("--sweep", help="Also look for events that came in late, in any case.")
    ] = False,
    stores: StoreOption = None,
    directory: DirOption = None,
    as_json: JsonOption = False,
) -> None:
    """Chain the events that were stored since the last seal.

    To be run as often as wanted, say every hour. Keep the printed head where those who could change the database cannot
    write: `headwater audit verify --head` compares with it.

    Example: headwater audit seal
    """
    import asyncio

    found = asyncio.run(_seal(grace, sweep, stores, directory))
    if as_json:
        show_json(found)
        return
    for name, done in found.items():
        late = f", {done['late']:,} of them late" if done["late"] else ""
        show_lines([f"{name}: {done['events']:,} events sealed{late}; head {done['head'] or 'none yet'}"])


async def _seal(grace_s: float, sweep: bool, names: list[str] | None, directory: Path | None) -> dict[str, Any]:
    from headwater.collector.audit.sealing import Sealer

    from ...working import progress_bar

    found = {}
    async with audited_stores(directory, names, writing=True) as stores:
        with progress_bar() as progress:
            for store in stores:
                sealer = Sealer(store.trail, store.ids, grace_s=grace_s, progress=progress)
                found[store.name] = (await sealer.run(sweep=sweep)).as_dict()
    return found
