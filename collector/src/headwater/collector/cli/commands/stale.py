"""``headwater stale``."""

from __future__ import annotations

from typing import Annotated

import typer

from ..options import DirOption, JsonOption
from ..output import show_json


def stale(
    after: Annotated[
        float, typer.Option(min=0.001, metavar="HOURS", help="Nothing was heard of the run for so many hours.")
    ] = 24.0,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list them.")] = False,
    limit: Annotated[int, typer.Option(min=1, max=100_000, help="At most so many runs.")] = 1000,
    url: Annotated[
        str | None, typer.Option(metavar="URL", help="Where the events go, as for `headwater emit`.")
    ] = None,
    directory: DirOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say by events which runs fell silent and never ended.

    Their state is INTERRUPTED then; a real end wins, early or late.

    Example: headwater stale --after 48 --dry-run
    """
    import asyncio
    from datetime import timedelta

    from headwater.collector.staleness import StaleRun, stale_runs
    from headwater.shared import times
    from headwater.shared.clock import SystemClock

    from ..configured import opened_reader
    from ..emitting.events import send_events
    from ..sources import check_database, choose

    target = choose(directory, None)
    if target.settings is None:
        check_database(target.directory)
    silence = timedelta(hours=after)

    async def found() -> list[StaleRun]:
        async with opened_reader(target.directory, target.settings) as reader:
            return await stale_runs(reader, times.now_text(SystemClock()), silence, limit)

    runs = asyncio.run(found())
    where = None
    if runs and not dry_run:
        where = send_events([run.event(silence) for run in runs], url, directory)
    if as_json:
        told = [{"runId": run.run, "lastSeen": times.display(run.last_seen)} for run in runs]
        show_json({"runs": told, "where": where, "dryRun": dry_run})
        return
    for run in runs:
        typer.echo(f"{run.run}  {run.job.name} ({run.job.namespace})  last seen {times.display(run.last_seen)}")
    typer.echo(f"{len(runs)} stale" + (f", sent to {where}" if where else ""))
