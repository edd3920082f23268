"""``headwater dlq show``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...exits import NotThereError
from ...options import DirOption, JsonOption, LogUrlOption
from ...output import show, show_json, write_bytes
from .choosing import opened

if TYPE_CHECKING:
    from headwater.collector.deadletters import Letter


def show_letter(
    letter_id: Annotated[int, typer.Argument(metavar="ID", show_default=False)],
    raw: Annotated[bool, typer.Option("--raw", help="Only the event's bytes, exactly as they were sent.")] = False,
    directory: DirOption = None,
    url: LogUrlOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show one dead letter: why, when, how often tried, and its bytes.

    Example: headwater dlq show 17 --raw > event.json
    """
    import asyncio

    letter = asyncio.run(_show(directory, url, letter_id))
    if letter is None:
        raise NotThereError(f"no dead letter {letter_id}", "`headwater dlq list --resolved` lists all")
    if raw:
        write_bytes(letter.envelope.value)
    elif as_json:
        show_json(letter.as_dict())
    else:
        from ...render.letters import letter_page

        show(*letter_page(letter.as_dict()))


async def _show(directory: Path | None, url: str | None, letter_id: int) -> Letter | None:
    async with opened(directory, url) as letters:
        return await letters.show(letter_id)
