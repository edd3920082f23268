"""``headwater doctor``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ..options import ApiOption, DirOption, JsonOption
from ..output import show, show_json

if TYPE_CHECKING:
    from ..checking.check import Check


def doctor(
    directory: DirOption = None,
    api: ApiOption = None,
    host: Annotated[str, typer.Option(help="The address that `headwater up` would listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Its port.")] = 5000,
    deadline: Annotated[
        float, typer.Option(min=0.1, metavar="SECONDS", help="After so long without an answer a server is away.")
    ] = 10.0,
    as_json: JsonOption = False,
) -> None:
    """Check configuration and connections.

    Log and stores are connected to and asked what they hold; nothing is changed. One line each, with the remedy; exit
    status 2 for what is wrong here, 3 for what is away.

    Example: headwater doctor --dir .headwater
    """
    from ..checking.all import run_checks
    from ..sources import choose

    checks = run_checks(choose(directory, api), host, port, deadline)
    if as_json:
        show_json({"checks": [check.as_json() for check in checks]})
    else:
        _show(checks)
    worst = max(check.verdict.value for check in checks)
    if worst:
        raise typer.Exit(worst)


def _show(checks: list[Check]) -> None:
    from ..checking.check import Verdict
    from ..render.facts import listing
    from ..render.words import text

    table = listing("", "check", "seen", "what to do")
    for check in checks:
        good = check.verdict is Verdict.OK
        mark = text("ok" if good else check.verdict.name.lower(), "green" if good else "red")
        table.add_row(mark, text(check.name), text(check.seen), text(check.remedy))
    show(table)
