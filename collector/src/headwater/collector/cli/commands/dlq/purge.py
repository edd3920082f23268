"""``headwater dlq purge``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...exits import UsageError
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


def purge(
    ids: IdsArgument = None,
    reason: ReasonOption = None,
    store: StoreOption = None,
    since: SinceOption = None,
    everything: AllOption = False,
    limit: LimitOption = None,
    dry_run: DryRunOption = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    directory: DirOption = None,
    url: LogUrlOption = None,
    as_json: JsonOption = False,
) -> None:
    """Give dead letters up for good.

    Example: headwater dlq purge --reason not_json --yes
    """
    import asyncio

    filters = chosen(ids, reason, store, since, everything)
    count = asyncio.run(_purge(directory, url, filters, limit, dry_run=True))
    if not dry_run and count:
        _confirm(count, yes or filters.ids is not None)
        count = asyncio.run(_purge(directory, url, filters, limit, dry_run=False))
    if as_json:
        show_json({"purged": 0 if dry_run else count, "matched": count})
    else:
        typer.echo(f"{count} {'would be purged' if dry_run else 'purged'}")


def _confirm(count: int, already: bool) -> None:
    if already:
        return
    if not sys.stdin.isatty():
        raise UsageError(f"{count} letters would be given up for good", "say --yes")
    typer.confirm(f"Give {count} letters up for good?", abort=True, err=True)


async def _purge(directory: Path | None, url: str | None, filters: Filters, limit: int | None, *, dry_run: bool) -> int:
    async with opened(directory, url) as letters:
        with progress_bar("purge") as progress:
            return await letters.purge(filters, limit=limit, dry_run=dry_run, progress=progress)
