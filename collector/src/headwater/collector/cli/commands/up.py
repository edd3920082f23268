"""``headwater up``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..options import DeadlineOption, DirOption

if TYPE_CHECKING:
    import asyncio


def up(
    directory: DirOption = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port to listen on; 0 picks a free one.")] = 5000,
    deadline: DeadlineOption = 10.0,
) -> None:
    """Run pipeline and API in one process, until Ctrl-C.

    It keeps a log and an SQLite database in DIR and needs no other server.

    Events come in over HTTP, or from the log in DIR/log that producers on this machine write (file:///.../DIR/log).

    Example: headwater up --dir .headwater --port 5000
    """
    from ..sources import choose
    from ..starting import log_to_stderr, run_until_complete

    log_to_stderr()
    place = choose(directory, None).directory.resolve()
    # The API's requests under way, then the pipeline's batch.
    run_until_complete(lambda stop: _run(place, host, port, deadline, stop), deadline_s=2 * deadline)


async def _run(place: Path, host: str, port: int, deadline_s: float, stop: asyncio.Event) -> None:
    from headwater.collector.api import create_app, serve
    from headwater.collector.embedded import Embedded
    from headwater.collector.tuning import tune_process

    embedded = Embedded(place)

    def started(url: str) -> None:
        where = f"--dir {place}" if embedded.stores_in_directory else f"--api {url}"
        typer.echo(f"headwater collects in {place}")
        typer.echo(f"  start page      {url}")
        typer.echo(f"  send events     POST {url}/api/v1/lineage, or HEADWATER_URL=file://{place}/log")
        typer.echo(f"  ask             headwater runs {where}")
        typer.echo("Ctrl-C ends it.")

    await embedded.start()
    tune_process()
    try:
        await serve(create_app(embedded), host, port, stop=stop, started=started, grace_s=deadline_s)
    finally:
        await embedded.stop(deadline_s=deadline_s)
