"""``headwater manifest verify``."""

from __future__ import annotations

from typing import Any

import typer

from ...asking import ask
from ...exits import DONE, NOT_DONE
from ...options import ApiOption, DirOption, FileArgument, JsonOption
from ...output import show_json, show_lines
from ...sources import Source
from .reading import read_manifest


def verify(
    file: FileArgument,
    directory: DirOption = None,
    api: ApiOption = None,
    as_json: JsonOption = False,
) -> None:
    """Check a replay manifest against the store.

    The manifest is made again and compared, and each event it rests on is read and hashed. Status 1: it does not hold.

    Example: headwater manifest verify revenue.manifest.json
    """
    manifest = read_manifest(file)

    async def question(source: Source) -> dict[str, Any]:
        return await source.check_manifest(manifest)

    found = ask(directory, api, question)
    if as_json:
        show_json(found)
    else:
        show_lines(_lines(found, len(manifest["events"])))
    raise typer.Exit(DONE if found["holds"] else NOT_DONE)


def _lines(found: dict[str, Any], events: int) -> list[str]:
    from ...render.differences import difference_lines

    if found["holds"]:
        return [f"holds: the store says the same, and {events:,} events are there unaltered"]
    lines = ["does NOT hold"]
    if found["unpublished"]:
        lines.append(f"the store has no such publication: {found['unpublished']}")
    lines += [f"event {each} is gone" for each in found["missingEvents"]]
    lines += [f"event {each} was altered" for each in found["alteredEvents"]]
    return lines + difference_lines(found["differences"])
