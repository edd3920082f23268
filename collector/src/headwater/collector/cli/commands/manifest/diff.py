"""``headwater manifest diff``."""

from __future__ import annotations

import typer

from ...exits import DONE, NOT_DONE
from ...options import FileArgument, JsonOption
from ...output import show_json, show_lines
from .reading import read_manifest


def diff(before: FileArgument, after: FileArgument, as_json: JsonOption = False) -> None:
    """Say what differs between two replay manifests.

    Status 1: something does.

    Example: headwater manifest diff monday.json tuesday.json
    """
    from headwater.collector.exports.differences import MAX_DIFFERENCES, differences

    from ...render.differences import difference_lines

    found = [each.as_dict() for each in differences(read_manifest(before), read_manifest(after))]
    if as_json:
        show_json({"same": not found, "differences": found, "truncated": len(found) == MAX_DIFFERENCES})
    else:
        show_lines(difference_lines(found) or ["the same"])
    raise typer.Exit(NOT_DONE if found else DONE)
