"""Marquez's Tag: what tags there are."""

from __future__ import annotations

from typing import Final

from headwater.collector.catalog import TAGS
from headwater.collector.stores.reading import Reader
from headwater.shared.event import Name

from ..services import Json
from .facets import text_of

FROM_THE_START: Final = {
    "SENSITIVE": "Contains sensitive information",
    "PII": "Personally identifiable information",
}
"""As Marquez is configured by default."""
MAX_TAGS: Final = 10_000


class Tags:
    """Those that are there from the start, and those that were described or used through the API."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    async def all(self) -> list[Json]:
        """At most ``MAX_TAGS``."""
        _, names = await self._reader.list_datasets(TAGS, MAX_TAGS, 0)
        said = await self._described([name.name for name in names])
        found = {**FROM_THE_START, **said}
        return [{"name": name, "description": description} for name, description in found.items()]

    async def one(self, tag: str) -> Json | None:
        """None where there is no such tag."""
        found = {**FROM_THE_START, **(await self._described([tag]))}
        return {"name": tag, "description": found[tag]} if tag in found else None

    async def _described(self, tags: list[str]) -> dict[str, str | None]:
        facts = await self._reader.datasets([Name(TAGS, tag) for tag in tags])
        return {
            name.name: text_of(each.facets, "documentation", "description") or FROM_THE_START.get(name.name)
            for name, each in sorted(facts.items())
        }
