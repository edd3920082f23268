"""``headwater dlq list``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...options import DirOption, JsonOption, LogUrlOption
from ...output import show, show_json
from .choosing import ReasonOption, SinceOption, StoreOption, filters_of, opened

if TYPE_CHECKING:
    from headwater.collector.deadletters import Filters, Listing


def list_letters(
    reason: ReasonOption = None,
    store: StoreOption = None,
    since: SinceOption = None,
    resolved: Annotated[bool, typer.Option("--resolved", help="Also those replayed or purged.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="At most so many.")] = 100,
    after: Annotated[int, typer.Option(metavar="ID", help="Go on after this letter.")] = -1,
    directory: DirOption = None,
    url: LogUrlOption = None,
    as_json: JsonOption = False,
) -> None:
    """List dead letters, oldest first.

    Example: headwater dlq list --reason not_json
    """
    import asyncio

    filters = filters_of(None, reason, store, since)
    if resolved:
        filters = filters._replace(state=None)
    listing = asyncio.run(_list(directory, url, filters, limit, after))
    if as_json:
        show_json({"letters": [letter.as_dict() for letter in listing.letters], "truncated": listing.truncated})
        return
    from ...render.letters import letters_page

    show(*letters_page([letter.as_dict() for letter in listing.letters], truncated=listing.truncated))


async def _list(directory: Path | None, url: str | None, filters: Filters, limit: int, after: int) -> Listing:
    async with opened(directory, url) as letters:
        return await letters.list(filters, limit=limit, after=after)
