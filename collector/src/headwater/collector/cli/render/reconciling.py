"""What `headwater reconcile` says to people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from headwater.collector.maintenance.report import Report

_SHOWN = 5
_TROUBLES = {
    "withoutDocument": "only a graph has",
    "unreadable": "cannot be read",
    "refused": "refused",
}


def report_lines(report: Report) -> Iterator[str]:
    """A line a store, one for each kind of trouble with some of the events, and one for the whole."""
    for name, held in report.held.items():
        yield f"{name}: holds {_events(held)}, {_found(report, name)}"
    for name in report.not_compared:
        yield f"{name}: cannot be read, not compared"
    yield from trouble_lines(report)
    if report.complete:
        yield _whole(report)


def trouble_lines(report: Report) -> Iterator[str]:
    """One for each kind of trouble, with some of the events."""
    counts = {
        "withoutDocument": report.without_document,
        "unreadable": report.unreadable,
        "refused": report.refused.total(),
    }
    for kind, words in _TROUBLES.items():
        if counts[kind]:
            yield f"{words}: {_events(counts[kind])}"
            for trouble in report.examples.get(kind, [])[:_SHOWN]:
                store = f"{trouble.store}: " if trouble.store else ""
                yield f"  {trouble.event_id}  {store}{trouble.reason}"


def _found(report: Report, name: str) -> str:
    lacked, repaired = report.lacked[name], report.repaired[name]
    if not lacked:
        return "lacks none" if report.complete else "no lack found yet"
    return f"lacks {lacked:,}" if report.dry_run else f"lacked {lacked:,}, {repaired:,} repaired"


def _whole(report: Report) -> str:
    if not report.held:
        return "nothing to compare: this store alone holds documents and graph, written together"
    if not report.differences and not report.unreadable:
        return "the stores agree"
    return "the stores agree now" if report.agree else "the stores differ"


def _events(count: int) -> str:
    return f"{count:,} event{'' if count == 1 else 's'}"
