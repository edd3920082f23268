"""``headwater up``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..options import DirOption


def up(
    directory: DirOption = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port to listen on; 0 picks a free one.")] = 5000,
) -> None:
    """Run pipeline and API in one process, until Ctrl-C.

    It keeps a log and an SQLite database in DIR and needs no other server.

    Events come in over HTTP, or from the log in DIR/log that producers on this machine write (file:///.../DIR/log).

    Example: headwater up --dir .headwater --port 5000
    """
    from ..sources import choose
    from ..starting import log_to_stderr, run_until_complete

    log_to_stderr()
    run_until_complete(_run(choose(directory, None).directory, host, port))


async def _run(directory: Path, host: str, port: int) -> None:
    from headwater.collector.api import create_app, serve
    from headwater.collector.embedded import Embedded
    from headwater.collector.tuning import tune_process

    place = directory.resolve()

    def started(url: str) -> None:
        typer.echo(f"headwater collects in {place}")
        typer.echo(f"  start page      {url}")
        typer.echo(f"  send events     POST {url}/api/v1/lineage, or HEADWATER_URL=file://{place}/log")
        typer.echo(f"  ask             headwater runs --dir {place}")
        typer.echo("Ctrl-C ends it.")

    embedded = Embedded(place)
    await embedded.start()
    tune_process()
    try:
        await serve(create_app(embedded), host, port, started=started)
    finally:
        await embedded.stop()
