"""How every reading module asks: a statement, its parameters, rows back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol, TypeVar

K = TypeVar("K")

CHUNK = 500
"""Keys in one statement."""
Row = list[Any]


class Fetch(Protocol):
    """Runs a reading statement. It returns one record of one value, the list of rows: the driver takes 40 µs for
    each record that comes by itself, and 2 for one in a list. Values are always parameters."""

    async def __call__(self, statement: str, **parameters: Any) -> list[Row]: ...


def chunks(keys: Iterable[K]) -> Iterator[list[K]]:
    """The keys, at most ``CHUNK`` at a time."""
    ordered = list(keys)
    for start in range(0, len(ordered), CHUNK):
        yield ordered[start : start + CHUNK]


async def fetch_each(fetch: Fetch, statement: str, rows: Iterable[Any], **parameters: Any) -> list[Row]:
    """The rows of a statement that begins with ``UNWIND $rows AS row``, a chunk at a time."""
    found: list[Row] = []
    for some in chunks(rows):
        found += await fetch(statement, rows=some, **parameters)
    return found
