"""``headwater dlq replay``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ...options import DirOption, JsonOption, LogUrlOption
from ...output import show_json
from .choosing import (
    AllOption,
    DryRunOption,
    IdsArgument,
    LimitOption,
    ReasonOption,
    SinceOption,
    StoreOption,
    chosen,
    opened,
    progress_bar,
)

if TYPE_CHECKING:
    from headwater.collector.deadletters import Filters


def replay(
    ids: IdsArgument = None,
    reason: ReasonOption = None,
    store: StoreOption = None,
    since: SinceOption = None,
    everything: AllOption = False,
    limit: LimitOption = None,
    dry_run: DryRunOption = False,
    directory: DirOption = None,
    url: LogUrlOption = None,
    as_json: JsonOption = False,
) -> None:
    """Append dead letters to the log again, byte for byte.

    One that fails again becomes a new letter.

    Example: headwater dlq replay --store sql --since 2026-03-01
    """
    import asyncio

    count = asyncio.run(_replay(directory, url, chosen(ids, reason, store, since, everything), limit, dry_run))
    if as_json:
        show_json({"replayed": 0 if dry_run else count, "matched": count})
    elif dry_run:
        typer.echo(f"{count} would be replayed")
    else:
        typer.echo(f"{count} replayed: a running collector takes them now, else the next one")


async def _replay(directory: Path | None, url: str | None, filters: Filters, limit: int | None, dry_run: bool) -> int:
    async with opened(directory, url) as letters:
        with progress_bar("replay") as progress:
            return await letters.replay(filters, limit=limit, dry_run=dry_run, progress=progress)
