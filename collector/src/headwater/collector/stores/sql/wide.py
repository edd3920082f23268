"""Inserts of many rows in one step of SQLite's.

``executemany`` steps row by row, and gives up the interpreter in each step. With another busy thread, winning it back
costs more than the row. ``VALUES`` with a few hundred rows takes one step for all of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

_ONE_ROW = re.compile(r"VALUES (\([?, ]+\))")
MAX_PARAMETERS = 16_384
"""In one statement; SQLite takes 32,766."""


class WideInsert:
    """An INSERT of one row that changes nothing when it is run again with the same row; implements ``ManyRows``."""

    def __init__(self, sql: str) -> None:
        found = _ONE_ROW.search(sql)
        if found is None:
            raise ValueError(f"not an INSERT of one row of parameters: {sql}")
        self._before, self._row, self._after = sql[: found.start(1)], found.group(1), sql[found.end(1) :]
        self._widened = lru_cache(maxsize=64)(self._with_rows)

    def run(self, cursor: Any, rows: Sequence[tuple[Any, ...]]) -> None:
        most = MAX_PARAMETERS // len(rows[0])
        for start in range(0, len(rows), most):
            some = list(rows[start : start + most])
            some += [some[-1]] * (_padded(len(some)) - len(some))
            cursor.execute(self._widened(len(some)), tuple(chain.from_iterable(some)))

    def _with_rows(self, rows: int) -> str:
        return self._before + ", ".join([self._row] * rows) + self._after


def _padded(rows: int) -> int:
    """The next of 1, 2, 3, 4, 6, 8, 12, 16, ...: few statements are ever compiled, and few rows written twice."""
    size = 1 << (rows - 1).bit_length()
    return size * 3 // 4 if size >= 4 and rows <= size * 3 // 4 else size
