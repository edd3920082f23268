"""The inputs, or the outputs, of one run. They accumulate; a mention with a version replaces one without."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from headwater.shared.facets import VERSION

from ._dataset import DatasetLike, Mention, mention_of
from ._facets import facet, facets


class Mentions:
    """One side of a run. A dataset may be there in several versions: each is a pin of its own."""

    __slots__ = ("_by_name", "_side")

    def __init__(self, side: Literal["input", "output"]) -> None:
        self._side: Literal["input", "output"] = side
        self._by_name: dict[tuple[str, str], list[Mention]] = {}

    def add(self, given: DatasetLike, version: str | None = None) -> Mention:
        """Adds a dataset and returns its mention; the mention that is already there if it says the same."""
        new = mention_of(given, None if version is None else str(version))
        known = self._by_name.setdefault((new.namespace, new.name), [])
        for old in known:
            if new.version is None or old.version is None or old.version == new.version:
                old.version = old.version if new.version is None else new.version
                old.facets.update(new.facets)
                old.own_facets.update(new.own_facets)
                return old
        known.append(new)
        return new

    def of(self, given: DatasetLike) -> list[Mention]:
        """The mentions of that dataset, of its version if it has one; added if there is none."""
        wanted = mention_of(given)
        known = self._by_name.get((wanted.namespace, wanted.name), [])
        return [one for one in known if wanted.version in (None, one.version)] or [self.add(given)]

    def __iter__(self) -> Iterator[Mention]:
        for mentions in list(self._by_name.values()):
            yield from list(mentions)

    def rendered(self, producer_uri: str) -> list[dict[str, Any]]:
        """As an event carries them."""
        return [render(one, self._side, producer_uri) for one in self]


def render(one: Mention, side: Literal["input", "output"], producer_uri: str) -> dict[str, Any]:
    """One mention as an event carries it."""
    given = facets("dataset", one.facets, producer_uri)
    if one.version is not None:
        given[VERSION] = facet("dataset", VERSION, {"datasetVersion": one.version}, producer_uri)
    body: dict[str, Any] = {"namespace": one.namespace, "name": one.name, "facets": given}
    if one.own_facets:
        body[side + "Facets"] = facets(side, one.own_facets, producer_uri)
    return body
