"""One line of a benchmark's result, and how results are printed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Measured(NamedTuple):
    """A figure beside its goal. ``met`` None: no goal, for comparison only."""

    what: str
    figure: str
    goal: str = ""
    met: bool | None = None


def table(title: str, rows: Sequence[Measured]) -> str:
    """A Markdown table, as it stands in docs/performance.md."""
    lines = [f"### {title}", "", "| what | measured | goal | met |", "| --- | ---: | ---: | --- |"]
    word = {None: "", True: "yes", False: "**no**"}
    lines += [f"| {row.what} | {row.figure} | {row.goal} | {word[row.met]} |" for row in rows]
    return "\n".join(lines) + "\n"


def percentile(values: Sequence[float], share: float) -> float:
    """The nearest-rank percentile; ``share`` 0.5 is the median."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
