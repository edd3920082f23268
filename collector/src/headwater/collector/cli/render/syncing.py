"""What `headwater sync` says to people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .reconciling import trouble_lines

if TYPE_CHECKING:
    from headwater.collector.maintenance.manifest import Caught
    from headwater.collector.maintenance.report import Report

_SHOWN = 5


def replayed_lines(caught: Caught) -> Iterator[str]:
    """Of the dead letters."""
    if not caught.letters:
        yield "no dead letter names a configured store"
    elif caught.dry_run:
        yield f"{caught.letters:,} dead letters would be written to the stores that lack them"
    else:
        yield f"{caught.stored:,} of {caught.letters:,} dead letters written to the stores that lacked them"
    if caught.left:
        yield f"still refused: {caught.left:,}"
        for trouble in caught.examples[:_SHOWN]:
            yield f"  {trouble.event_id}  {trouble.store}: {trouble.reason}"


def copied_lines(report: Report) -> Iterator[str]:
    """Of a copy."""
    for name, held in report.held.items():
        yield f"{name}: {held:,} events"
    for name, lacked in report.lacked.items():
        word = "would be written" if report.dry_run else f"lacked, {report.repaired[name]:,} written"
        yield f"{name}: {lacked:,} {word}"
    if report.complete and not report.lacked:
        yield "nothing to copy"
    yield from trouble_lines(report)
