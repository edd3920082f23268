"""``headwater serve``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ..options import CreateTopicsOption, DeadlineOption, LogUrlOption, StoreOption

if TYPE_CHECKING:
    import asyncio

    from headwater.collector.settings import Settings


def serve(
    url: LogUrlOption = None,
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port to listen on; 0 picks a free one.")] = 5000,
    deadline: DeadlineOption = 10.0,
    create_topics: CreateTopicsOption = False,
    store: StoreOption = None,
) -> None:
    """Run the API on the configured stores; events go to the log.

    A POST is answered with 201 once the log has the event durably; `headwater collect` stores it from there.

    Example: headwater serve --url kafka://127.0.0.1:9092 --port 5000
    """
    from ..starting import log_to_stderr, run_until_complete, settings_for

    log_to_stderr()
    settings = settings_for(create_topics, store)
    run_until_complete(lambda stop: _run(settings, url, host, port, deadline, stop), deadline_s=deadline)


async def _run(
    settings: Settings, url: str | None, host: str, port: int, deadline_s: float, stop: asyncio.Event
) -> None:
    import structlog

    from headwater.collector.api import create_app, serve
    from headwater.collector.serving import Serving
    from headwater.collector.tuning import tune_process

    log = structlog.get_logger("headwater.collector")
    serving = Serving(settings, url=url)
    await serving.start()
    tune_process()
    try:
        stores = sorted(serving.manager.stores.members)

        def started(address: str) -> None:
            log.info("serving", address=address, topic=serving.topic, stores=stores)

        await serve(create_app(serving), host, port, stop=stop, started=started, grace_s=deadline_s)
    finally:
        await serving.stop()
    log.info("stopped")
