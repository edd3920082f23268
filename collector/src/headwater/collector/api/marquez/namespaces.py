"""Marquez's Namespace, and the lists of them."""

from __future__ import annotations

import re
from typing import Final

from headwater.collector.catalog import NAMESPACE_FACET, NAMESPACES
from headwater.collector.stores.reading import DatasetFacts, NamespaceFacts, Reader
from headwater.shared.event import Name

from ..services import Json
from .facets import text_of
from .runs import shown

DEFAULT: Final = "default"
"""Can be asked for before anything names it."""
FROM_THE_START: Final = "2000-01-01T00:00:00.000000000Z"
"""The time of what is there before any event."""
NOBODY: Final = "anonymous"
_STRANGE = re.compile(r"[^a-zA-Z:;=/0-9_\-.@+]")


def plain_name(namespace: str) -> str:
    """As Marquez would have stored it: it replaces what its own clients refuse to send in a path."""
    return _STRANGE.sub("_", namespace)


class Namespaces:
    """Names that Marquez would have changed are shown, and found, as it would have them."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    async def page(self, limit: int, offset: int) -> tuple[int, list[Json]]:
        """(total, a page by name)."""
        facts = await self._all()
        page = facts[offset : offset + limit]
        described = await self._reader.datasets([Name(NAMESPACES, each.name) for _, each in page])
        return len(facts), [_shape(shown_as, each, described) for shown_as, each in page]

    async def one(self, namespace: str) -> Json | None:
        """By its name, or as it is shown."""
        found = await self._named(namespace)
        if found is None:
            return None
        return _shape(namespace, found, await self._reader.datasets([Name(NAMESPACES, found.name)]))

    async def real_name(self, namespace: str) -> str | None:
        """The namespace that a client means; None if there is none."""
        found = await self._named(namespace)
        return found and found.name

    async def as_sent(self) -> dict[str, str]:
        """The namespaces that are shown otherwise than they were sent, by the name that is shown."""
        return {shown_as: each.name for shown_as, each in await self._all() if shown_as != each.name}

    async def _named(self, namespace: str) -> NamespaceFacts | None:
        if facts := await self._reader.namespace_facts([namespace]):
            return facts[0]
        if namespace == DEFAULT:
            return NamespaceFacts(DEFAULT, FROM_THE_START, None, False, FROM_THE_START)
        if "_" not in namespace:
            return None
        return next((each for shown_as, each in await self._all() if shown_as == namespace), None)

    async def _all(self) -> list[tuple[str, NamespaceFacts]]:
        """By the name that is shown: the plain one, unless another namespace has that."""
        facts = {each.name: each for each in await self._reader.namespace_facts()}
        taken = set(facts)
        found: list[tuple[str, NamespaceFacts]] = []
        for name in sorted(facts):
            plain = plain_name(name)
            if plain != name and plain in taken:
                plain = name
            taken.add(plain)
            found.append((plain, facts[name]))
        return sorted(found)


def _shape(shown_as: str, facts: NamespaceFacts, described: dict[Name, DatasetFacts]) -> Json:
    entry = described.get(Name(NAMESPACES, facts.name))
    said = entry.facets if entry else {}
    put = entry is not None and NAMESPACE_FACET in said
    return {
        "name": shown_as,
        "createdAt": shown(facts.arrived_time),
        "updatedAt": shown(entry.last_time if entry and put else facts.arrived_time),
        "ownerName": text_of(said, NAMESPACE_FACET, "ownerName") or NOBODY,
        "description": text_of(said, "documentation", "description"),
        "isHidden": facts.hidden,
    }
