"""Lists that may be long: a page with the total, how many are left, and a cursor for them.

An answer has several such lists, and a cursor goes on with one of them: it begins with that list's name. The other
lists of the answer then begin anew.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple, TypeVar

from headwater.collector.questions.shapes import Json

T = TypeVar("T")

MAX_WITHIN: Final = 20
"""Entries of a list that is itself in an entry of a list."""
_UUID = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
COUNTED: Final = re.compile(r"\.")
"""Lists whose pages begin where so many were shown."""
BY_ID: Final = re.compile(_UUID)
BY_TIME_AND_ID: Final = re.compile(rf"[0-9TZ:.-]{{1,40}}_{_UUID}")
BY_TIME_AND_VERSION: Final = re.compile(r"[0-9TZ:.-]{1,40}_.+", re.DOTALL)


class Cursor(NamedTuple):
    """``shown``: entries on earlier pages; ``position``: where the page begins, as its list reads it."""

    list: str
    shown: int
    position: str

    def text(self) -> str:
        return f"{self.list}:{self.shown}:{self.position}"


def parse_cursor(text: str | None, lists: Mapping[str, re.Pattern[str]]) -> Cursor | None:
    """``lists``: name to the form of a position. Raises ValueError for what is no ``next`` of these lists."""
    if text is None:
        return None
    name, _, rest = text.partition(":")
    shown, _, position = rest.partition(":")
    if name not in lists or not re.fullmatch(r"[0-9]{1,9}", shown) or not lists[name].fullmatch(position):
        raise ValueError(f"cursor {text[:200]!r}: must be the `next` of an earlier answer")
    return Cursor(name, int(shown), position)


def of_list(cursor: Cursor | None, name: str) -> Cursor:
    """The cursor if it is this list's, else one for its beginning."""
    return cursor if cursor and cursor.list == name else Cursor(name, 0, "")


def page_json(items: Sequence[Json], total: int, cursor: Cursor, consumed: int, following: str | None) -> Json:
    """``consumed``: of ``total``, entries that this page stands for. ``following``: where the next page begins; None:
    there is none, whatever the total said before somebody wrote."""
    shown = cursor.shown + consumed
    return {
        "total": total,
        "items": list(items),
        "more": max(total - shown, 0) if following is not None else 0,
        "next": None if following is None else cursor._replace(shown=shown, position=following).text(),
    }


def beginning(items: Sequence[T], limit: int, shape: Callable[[T], Json], *, total: int | None = None) -> Json:
    """The first entries of a list within an entry, at most ``MAX_WITHIN``; for all of them there is another address."""
    shown = [shape(each) for each in items[: min(limit, MAX_WITHIN)]]
    count = len(items) if total is None else total
    return {"total": count, "items": shown, "more": count - len(shown), "next": None}


def sliced(items: Sequence[T], limit: int, cursor: Cursor, shape: Callable[[T], Json]) -> Json:
    """A page of a list that is there as a whole; see ``COUNTED``."""
    start = cursor.shown
    page = items[start : start + limit]
    rest = start + len(page) < len(items)
    return page_json([shape(each) for each in page], len(items), cursor, len(page), "." if rest else None)
