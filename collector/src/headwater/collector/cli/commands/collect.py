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

    Any number of workers share the work of one consumer group. /healthz, /readyz and /metrics are served on PORT, also
    while stores and brokers are away.

    Example: headwater collect --url kafka://127.0.0.1:9092 --port 5001
    """
    from ..starting import log_to_stderr, run_until_complete, settings_for

    log_to_stderr()
    settings = settings_for(create_topics, store)
    run_until_complete(lambda stop: _run(settings, url, host, port, deadline, stop), deadline_s=_PROBES_S + deadline)


async def _run(
    settings: Settings, url: str | None, host: str, port: int, deadline_s: float, stop: asyncio.Event
) -> None:
    import asyncio

    import structlog

    from headwater.collector.api import create_probes, serve
    from headwater.collector.collecting import Collecting
    from headwater.collector.tuning import tune_process

    log = structlog.get_logger("headwater.collector")
    collecting = Collecting(settings, url=url)
    address: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def answering(where: str) -> None:
        log.info("starting", operations=where)
        address.set_result(where)

    async def begin() -> None:
        where = await address
        try:
            await collecting.start()
        except BaseException:
            stop.set()
            raise
        tune_process()
        stores = sorted(collecting.manager.stores.members)
        log.info("collecting", topic=collecting.topics.main, stores=stores, operations=where)

    # Probes are answered from the start: a store that hangs when it is opened is no reason to restart the process.
    beginning = asyncio.create_task(begin(), name="headwater start")
    try:
        await serve(create_probes(collecting), host, port, stop=stop, started=answering, grace_s=_PROBES_S)
        if begun := _is_done_well(beginning):
            log.info("draining", deadline_s=deadline_s)
    finally:
        beginning.cancel()
        await asyncio.wait((beginning,))
        await collecting.stop(deadline_s=deadline_s)
    if begun:
        log.info("stopped")
    elif not beginning.cancelled():
        beginning.result()


def _is_done_well(task: asyncio.Task[None]) -> bool:
    return task.done() and not task.cancelled() and task.exception() is None
