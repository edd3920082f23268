"""``headwater sync``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..exits import DONE, INTERRUPTED, NOT_DONE, UsageError
from ..options import DirOption, JsonOption, LogUrlOption
from ..output import complain, show_json, show_lines

if TYPE_CHECKING:
    from headwater.collector.maintenance.manifest import Caught
    from headwater.collector.maintenance.report import Report


def sync(
    target: Annotated[
        str | None, typer.Option("--to", metavar="STORE", help="Copy events to this store: its name, or a URL.")
    ] = None,
    source: Annotated[
        str | None, typer.Option("--from", metavar="STORE", help="From this one; default: the configured documents.")
    ] = None,
    store: Annotated[
        str | None, typer.Option("--store", metavar="NAME", help="Replay only what this store could not take.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say how many events would be written.")] = False,
    directory: DirOption = None,
    url: LogUrlOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write to stores what they could not take, or lack.

    Alone: the dead letters that name a store are written to that store, and to no other, and marked as replayed.
    With --to: every event that one store has whole and the other lacks is copied. Both may be broken off and begun
    again, beside running collectors.

    Example: headwater sync --from sqlite:////data/headwater.db --to postgresql://headwater@db/headwater
    """
    import asyncio

    from headwater.collector.maintenance.manifest import Caught
    from headwater.collector.maintenance.report import Report
    from headwater.shared.errors import HeadwaterError

    if target is None and source is not None:
        raise UsageError("--from needs --to", "name the store that the events are copied to")
    if target is not None and (store is not None or url is not None):
        raise UsageError("--to excludes --store and --url", "copy, or replay what could not be taken")
    report, caught = Report(dry_run=dry_run), Caught(dry_run=dry_run)
    work = _replay(caught, store, directory, url) if target is None else _copy(report, source, target, directory)
    status, complete = INTERRUPTED, False
    try:
        asyncio.run(work)
        complete = True
        good = not caught.left if target is None else not (report.unreadable or report.refused.total())
        status = DONE if good else NOT_DONE
    except KeyboardInterrupt:
        pass
    except HeadwaterError:
        if caught.letters or report.held:
            _show(caught, report, target, complete, as_json)
        raise
    _show(caught, report, target, complete, as_json)
    raise typer.Exit(status)


async def _replay(caught: Caught, store: str | None, directory: Path | None, url: str | None) -> None:
    from headwater.collector.maintenance.manifest import Catcher

    from ..configured import check_names, opened_stores, settings_of
    from ..working import progress_bar
    from .dlq.choosing import opened

    settings = settings_of(directory)
    async with opened_stores(settings) as manager, opened(directory, url) as letters:
        check_names(manager, [store] if store else None)
        with progress_bar() as progress:
            retry = settings.lineage.collector.retry.policy()
            await Catcher(letters, manager.stores, caught, retry=retry, progress=progress).run(store)


async def _copy(report: Report, source: str | None, target: str, directory: Path | None) -> None:
    from headwater.collector.maintenance.copying import copy
    from headwater.collector.stores.composite import CompositeLineageStore

    from ..configured import default_source, settings_of
    from ..store_names import named_store
    from ..working import progress_bar

    settings = settings_of(directory, check=source is None)
    source = source or default_source(settings)
    pair = [
        named_store(source, settings, role="from", read_only=True),
        named_store(target, settings, role="to", read_only=report.dry_run),
    ]
    stores = CompositeLineageStore(pair, deadline_s=settings.lineage.store.deadline_s)
    try:
        await stores.open()
        with progress_bar() as progress:
            retry = settings.lineage.collector.retry.policy()
            await copy(stores, pair[0], pair[1], report, retry=retry, progress=progress)
    finally:
        await stores.close()


def _show(caught: Caught, report: Report, target: str | None, complete: bool, as_json: bool) -> None:
    if as_json:
        show_json({**(caught.as_dict() if target is None else report.as_dict()), "complete": complete})
        return
    from ..render.syncing import copied_lines, replayed_lines

    show_lines(replayed_lines(caught) if target is None else copied_lines(report))
    if not complete:
        complain("broken off: what was written stays; run it again for the rest")
