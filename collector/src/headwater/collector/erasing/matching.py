"""What is to be erased."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from headwater.shared.event import Name

MIN_TEXT: Final = 3
"""Characters: a shorter text is in everything."""
CATALOG: Final = "headwater:"
"""What the namespaces of the catalog begin with."""


@dataclass(frozen=True, slots=True)
class Matcher:
    """A namespace, or a text wherever it stands and whatever its case. Exactly one is given."""

    namespace: str | None = None
    text: str | None = None

    def __post_init__(self) -> None:
        if (self.namespace is None) == (self.text is None):
            raise ValueError("give a namespace or a text")
        if self.namespace == "" or (self.namespace or "").startswith(CATALOG):
            raise ValueError(f"namespace {self.namespace!r} cannot be erased")
        if self.text is not None and len(self.text.strip()) < MIN_TEXT:
            raise ValueError(f"a text of {MIN_TEXT} characters at least")

    def touches(self, body: Any) -> bool:
        """Whether an event holds it anywhere."""
        if self.namespace is not None:
            return any(self.is_erased(name) for name in _names(body))
        return any(map(self.holds, _texts(body)))

    def is_erased(self, name: Name) -> bool:
        """Whether a job or dataset of this name is."""
        if self.namespace is not None:
            described = name.namespace.startswith(CATALOG) and name.name == self.namespace
            return name.namespace == self.namespace or described
        return self.holds(name.namespace) or self.holds(name.name)

    def holds(self, text: str) -> bool:
        """Whether the text that is sought stands in this one."""
        return self.text is not None and self.text.casefold() in text.casefold()


def _names(value: Any) -> Iterator[Name]:
    """Every object that has a namespace and a name, however deep."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            namespace, name = each.get("namespace"), each.get("name")
            if isinstance(namespace, str):
                yield Name(namespace, name if isinstance(name, str) else "")
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each


def _texts(value: Any) -> Iterator[str]:
    """Every text and every key, however deep."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            yield each
        elif isinstance(each, dict):
            yield from each
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each
