"""Marquez's Source."""

from __future__ import annotations

from typing import Final

from headwater.collector.catalog import SOURCE_FACET, SOURCES
from headwater.collector.stores.reading import MAX_SOURCES, DatasetFacts, Reader, SourceFacts
from headwater.shared.event import Name

from ..services import Json
from .facets import text_of
from .namespaces import FROM_THE_START
from .runs import shown

DEFAULT: Final = "default"
"""The source of datasets that name none."""


class Sources:
    """What the API says of a source goes before what dataSource facets say."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    async def all(self) -> list[Json]:
        """By name."""
        found = {DEFAULT: _stated(SourceFacts(DEFAULT, None, FROM_THE_START, FROM_THE_START))}
        for facts in sorted(await self._reader.sources(), key=lambda each: each.last_time):
            found[facts.name] = _stated(facts)  # of several addresses the one said last
        _, names = await self._reader.list_datasets(SOURCES, MAX_SOURCES, 0)
        found |= {name.name: _described(facts) for name, facts in (await self._reader.datasets(names)).items()}
        return [found[name] for name in sorted(found)]

    async def one(self, name: str) -> Json | None:
        """None where nobody names it."""
        if facts := (await self._reader.datasets([entry := Name(SOURCES, name)])).get(entry):
            return _described(facts)
        return next((source for source in await self.all() if source["name"] == name), None)

    async def url(self, name: str) -> str | None:
        """Its address, where one was given through the API."""
        facts = (await self._reader.datasets([entry := Name(SOURCES, name)])).get(entry)
        return text_of(facts.facets, SOURCE_FACET, "connectionUrl") if facts else None


def _described(facts: DatasetFacts) -> Json:
    return {
        "type": text_of(facts.facets, SOURCE_FACET, "type") or "DEFAULT",
        "name": facts.dataset.name,
        "createdAt": shown(facts.first_time),
        "updatedAt": shown(facts.last_time),
        "connectionUrl": text_of(facts.facets, SOURCE_FACET, "connectionUrl") or "",
        "description": text_of(facts.facets, "documentation", "description"),
    }


def _stated(facts: SourceFacts) -> Json:
    scheme = (facts.uri or "").partition(":")[0] if ":" in (facts.uri or "") else ""
    return {
        "type": scheme.upper() or "DEFAULT",
        "name": facts.name,
        "createdAt": shown(facts.first_time),
        "updatedAt": shown(facts.last_time),
        "connectionUrl": facts.uri or "",
        "description": None,
    }
