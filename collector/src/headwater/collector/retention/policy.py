"""Policies by age."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_UNITS: Final = {"h": 3600.0, "d": 86_400.0, "w": 7 * 86_400.0, "y": 365 * 86_400.0}
_AGE: Final = re.compile(r"(\d{1,6})([hdwy])")


def parse_age(text: str) -> float:
    """Seconds in ``90d``, ``12h``, ``8w``, ``2y``. Raises ValueError."""
    found = _AGE.fullmatch(text.strip().lower())
    if found is None or int(found[1]) == 0:
        raise ValueError(f"{text!r}: write a number and h, d, w or y, for example 90d")
    return int(found[1]) * _UNITS[found[2]]


@dataclass(frozen=True, slots=True)
class Policy:
    """Ages in seconds, by the last event of a run; None: for ever."""

    runs: float | None = None
    """Older runs go whole: facts and documents."""
    documents: float | None = None
    """Of older runs the documents go; facts stay."""
    statistics: float | None = None
    """Of older runs the counts of rows and bytes go."""
    max_runs: int = 100_000
    """Taken away in one pass."""

    def __post_init__(self) -> None:
        if self.runs is not None and self.documents is not None and self.documents > self.runs:
            raise ValueError("documents cannot be kept longer than the runs that they are of")
