"""``headwater reconcile``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..exits import DONE, INTERRUPTED, NOT_DONE
from ..options import DirOption, JsonOption
from ..output import complain, show_json, show_lines

if TYPE_CHECKING:
    from headwater.collector.maintenance.report import Report


def reconcile(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what is missing where.")] = False,
    stores: Annotated[
        list[str] | None, typer.Option("--store", metavar="NAME", help="Repair only this one; may be repeated.")
    ] = None,
    grace: Annotated[
        float,
        typer.Option(min=0, metavar="SECONDS", help="How old an event is before it counts as missing."),
    ] = 10.0,
    directory: DirOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare the stores and repair what one lacks.

    What one store lacks and another has whole is written to it.

    A graph is repaired from the documents. Events that only a graph has are reported. Collectors may go on writing.
    Status 1: the stores still differ (with --dry-run: they differ). It may be broken off and begun again.

    Example: headwater reconcile --dry-run --json
    """
    import asyncio

    from headwater.collector.maintenance.report import Report
    from headwater.shared.errors import TransientError

    report = Report(dry_run=dry_run)
    try:
        asyncio.run(_reconcile(report, stores, grace, directory))
    except KeyboardInterrupt:
        _show(report, as_json)
        raise typer.Exit(INTERRUPTED) from None
    except TransientError:
        if report.held:
            _show(report, as_json)
        raise
    _show(report, as_json)
    raise typer.Exit(DONE if report.agree else NOT_DONE)


async def _reconcile(report: Report, only: list[str] | None, grace_s: float, directory: Path | None) -> None:
    from headwater.collector.maintenance.reconciling import Reconciler

    from ..configured import check_names, opened_stores, settings_of
    from ..working import progress_bar

    settings = settings_of(directory)
    async with opened_stores(settings) as manager:
        check_names(manager, only)
        with progress_bar() as progress:
            await Reconciler(
                manager.stores,
                report,
                only=only or None,
                grace_s=grace_s,
                retry=settings.lineage.collector.retry.policy(),
                progress=progress,
            ).run()


def _show(report: Report, as_json: bool) -> None:
    if as_json:
        show_json(report.as_dict())
        return
    from ..render.reconciling import report_lines

    show_lines(report_lines(report))
    if not report.complete:
        complain("broken off: what was repaired stays so; run it again for the rest")
