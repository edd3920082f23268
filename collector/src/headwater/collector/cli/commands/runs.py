"""``headwater runs``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ..asking import ask
from ..exits import UsageError
from ..options import ApiOption, DirOption, JsonOption
from ..output import show, show_json
from ..sources import Source

STATES = ("NEW", "RUNNING", "COMPLETED", "FAILED", "ABORTED", "INTERRUPTED")


def runs(
    job: Annotated[
        str | None, typer.Option(metavar="NODE", help="Only of this job: job:NAMESPACE:NAME, or NAMESPACE:NAME.")
    ] = None,
    status: Annotated[
        str | None, typer.Option(metavar="STATE", help=f"Only in this state: {', '.join(STATES)}.")
    ] = None,
    since: Annotated[
        str | None, typer.Option(metavar="TIME", help="Only those first seen since: 2026-01-31, 2026-01-31T06:00Z.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="At most so many.")] = 20,
    after: Annotated[str | None, typer.Option(metavar="CURSOR", help="Go on where a truncated answer ended.")] = None,
    directory: DirOption = None,
    api: ApiOption = None,
    as_json: JsonOption = False,
) -> None:
    """List runs, newest first.

    Example: headwater runs --job job:shop:publish_revenue --status FAILED
    """
    state = _state(status)
    moment = _since(since)

    async def question(source: Source) -> dict[str, Any]:
        name = None
        if job is not None:
            from ..nodes import look_up

            node, _ = await look_up(source, [job if job.startswith("job:") else f"job:{job}"])
            name = node.name
        try:
            return await source.runs(job=name, status=state, since=moment, limit=limit, after=after)
        except ValueError as error:
            raise UsageError(f"--after: {error}") from None

    answer = ask(directory, api, question)
    if as_json:
        show_json(answer)
        return
    from ..render.run import runs_page

    show(*runs_page(answer))


def _state(status: str | None) -> str | None:
    if status is None or status.upper() in STATES:
        return status and status.upper()
    raise typer.BadParameter(f"{status!r} is no state; one of {', '.join(STATES)}", param_hint="--status")


def _since(text: str | None) -> str | None:
    if text is None:
        return None
    from headwater.shared import times

    try:
        return times.display(times.parse(text))
    except ValueError as error:
        raise typer.BadParameter(f"{text!r} is no time: {error}", param_hint="--since") from None
