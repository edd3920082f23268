"""``headwater fingerprint``."""

from __future__ import annotations

from ..asking import ask
from ..options import ApiOption, DirOption, JsonOption
from ..output import show_json, show_lines


def fingerprint(directory: DirOption = None, api: ApiOption = None, as_json: JsonOption = False) -> None:
    """Print a hash of the graph's whole meaning.

    It is equal for the same set of events, whatever the order, the duplicates or the store engine.

    Example: headwater fingerprint --dir .headwater
    """
    value = ask(directory, api, lambda source: source.fingerprint())
    if as_json:
        show_json({"fingerprint": value})
    else:
        show_lines([value])
