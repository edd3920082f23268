"""``headwater emit``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ..exits import INTERRUPTED, NOT_DONE, UNREACHABLE
from ..options import DirOption, JsonOption
from ..output import complain, show_json

if TYPE_CHECKING:
    from ..emitting.tally import Tally

_SHOWN = 20


def emit(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="JSON or NDJSON, gzipped or not; - is stdin.")],
    url: Annotated[
        str | None,
        typer.Option(
            metavar="URL", help="http(s)://host:5000, kafka://host:9092/topic, file:///path; default: the directory."
        ),
    ] = None,
    unwrap: Annotated[
        str | None, typer.Option(metavar="KEY", help="Each value is an object that holds the event under KEY.")
    ] = None,
    directory: DirOption = None,
    as_json: JsonOption = False,
) -> None:
    """Send events from files; count them at the end.

    A file may be one JSON object, an array of them, or one a line. An event that is sent twice changes nothing, so
    after an interruption the same command can be given again.

    Example: headwater emit events.ndjson.gz --url http://127.0.0.1:5000
    """
    import asyncio

    from headwater.collector.logs import configure_logs
    from headwater.shared.errors import TransientError

    from ..emitting.progress import Progress
    from ..emitting.reading import check_files
    from ..emitting.sending import Interrupts, send_all
    from ..emitting.sinks import sink_for
    from ..emitting.tally import Tally
    from ..sources import choose

    configure_logs(style="text", level="WARNING")
    total_bytes = check_files(files)
    sink = sink_for(url, choose(directory, None).directory)
    tally = Tally()
    failure: TransientError | None = None
    with Interrupts() as interrupts, asyncio.Runner() as runner:
        runner.run(sink.open())
        try:
            with Progress(total_bytes) as progress:
                send_all(runner, sink, progress.events(files, unwrap), tally, interrupts, progress=progress.update)
        except TransientError as error:
            failure = error
        finally:
            runner.run(sink.close())
    if as_json:
        show_json(tally.as_json(sink.where))
    else:
        _tell(tally, sink.where)
    if failure is not None:
        complain(f"{failure}\n  stopped after {tally.last or 'nothing'}; give the same command again to go on")
        raise typer.Exit(UNREACHABLE)
    if tally.stopped:
        complain(f"interrupted after {tally.last or 'nothing'}; give the same command again to go on")
        raise typer.Exit(INTERRUPTED)
    if tally.reasons:
        raise typer.Exit(NOT_DONE)


def _tell(tally: Tally, where: str) -> None:
    for bad in tally.refused[:_SHOWN]:
        complain(f"{bad.place}: refused ({bad.reason}): {bad.message}")
    refused = sum(tally.reasons.values())
    if refused > _SHOWN:
        complain(f"... and {refused - _SHOWN} more; --json tells up to 1000")
    typer.echo(f"{tally.sent} sent to {where}, {tally.accepted} accepted, {refused} refused")
    for reason, count in sorted(tally.reasons.items()):
        typer.echo(f"  {count} {reason}")
    if tally.with_problems:
        typer.echo(f"{tally.with_problems} accepted with problems: parts of them are kept but left out of the graph")
