"""Where the words of a name begin, to find what is inside it by an index of beginnings.

A text with a separator in it, as ``order_items.daily``, stands in a name only where the name goes on, at the beginning
of a word, with what stands behind the text's first separator. So the names that go on so at some word are all that may
hold it. Trigrams would do, too, but theirs are lists as long as there are names alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

INDEXED_CHARS: Final = 4_000
"""Of a name; what is behind is not found by what is in it."""
PART_CHARS: Final = 32
"""Of a name from the beginning of a word on, whatever follows."""
MAX_PROBES: Final = 8
MAX_CANDIDATES: Final = 1_000
"""By their parts; of more, trigrams are the better index."""
AFTER: Final = "\U0010ffff"
"""Behind every text that begins alike."""
_BEGINNING: Final = re.compile(r"(?<=[\x00-/:-@\[-`{-\x7f])[^\x00-/:-@\[-`{-\x7f]")
"""A letter, a digit or anything beyond ASCII, behind a character of ASCII that is neither letter nor digit: what
beyond ASCII is a letter depends on the version of Unicode, and an index must not."""


def parts(name: str) -> list[str]:
    """The beginnings of what stands in a folded name from each of its words on, but for the first character, each
    once."""
    text = name[:INDEXED_CHARS]
    return list(dict.fromkeys(text[at : at + PART_CHARS] for at in _beginnings(text)))


def probes(text: str) -> Iterator[str]:
    """What some part of every name that holds this folded text begins with, from the most telling on; none for a text
    without a separator before a word."""
    for at in [*_beginnings(text)][:MAX_PROBES]:
        yield text[at : at + PART_CHARS]
        if len(text) - at <= PART_CHARS:
            return  # the ones behind are parts of this one


def telling(text: str, names_with: Callable[[str, str], int]) -> str | None:
    """Of a folded text what few names go on with, all among them that hold it; None where there is no such thing.
    ``names_with`` counts parts from one text on and before another, up to one more than ``MAX_CANDIDATES``."""
    if len(text) > INDEXED_CHARS:
        return None
    return next((probe for probe in probes(text) if names_with(probe, probe + AFTER) <= MAX_CANDIDATES), None)


def _beginnings(text: str) -> Iterator[int]:
    return (found.start() for found in _BEGINNING.finditer(text))
