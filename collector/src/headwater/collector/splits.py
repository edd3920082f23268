"""Names in one text: ``NAMESPACE:NAME`` or ``NAMESPACE/NAME``, either of which may hold the mark itself."""

from __future__ import annotations

from collections.abc import Iterator

from headwater.shared.event import Name


def splits(text: str, mark: str) -> Iterator[Name]:
    """Every reading with both parts, the longest namespace first; ``mark`` is one character."""
    at = text.rfind(mark)
    while at > 0:
        if at < len(text) - 1:
            yield Name(text[:at], text[at + 1 :])
        at = text.rfind(mark, 0, at)
