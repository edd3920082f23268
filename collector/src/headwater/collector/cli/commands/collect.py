"""``headwater collect``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ..options import CreateTopicsOption, DeadlineOption, LogUrlOption, StoreOption

if TYPE_CHECKING:
    import asyncio

    from headwater.collector.settings import Settings

_PROBES_S = 1.0
"""How long an answer to a probe may hold up the draining."""


def collect(
    url: LogUrlOption = None,
    host: Annotated[str, typer.Option(help="The address of health, readiness and metrics.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Their port; 0 picks a free one.")] = 5001,
    deadline: DeadlineOption = 30.0,
    create_topics: CreateTopicsOption = False,
    store: StoreOption = None,
) -> None:
    """Run a worker: from the log to the stores.

    Any number of workers share the work of one consumer group. /healthz, /readyz and /metrics are served on PORT.

    Example: headwater collect --url kafka://127.0.0.1:9092 --port 5001
    """
    from ..starting import log_to_stderr, run_until_complete, settings_for

    log_to_stderr()
    settings = settings_for(create_topics, store)
    run_until_complete(lambda stop: _run(settings, url, host, port, deadline, stop), deadline_s=_PROBES_S + deadline)


async def _run(
    settings: Settings, url: str | None, host: str, port: int, deadline_s: float, stop: asyncio.Event
) -> None:
    import structlog

    from headwater.collector.api import create_probes, serve
    from headwater.collector.collecting import Collecting
    from headwater.collector.tuning import tune_process

    log = structlog.get_logger("headwater.collector")
    collecting = Collecting(settings, url=url)
    await collecting.start()
    tune_process()
    try:
        stores = sorted(collecting.manager.stores.members)

        def started(address: str) -> None:
            log.info("collecting", topic=collecting.topics.main, stores=stores, operations=address)

        await serve(create_probes(collecting), host, port, stop=stop, started=started, grace_s=_PROBES_S)
        log.info("draining", deadline_s=deadline_s)
    finally:
        await collecting.stop(deadline_s=deadline_s)
    log.info("stopped")
