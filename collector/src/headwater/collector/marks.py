"""Words about single generations: withdrawn from publication, or bad. Events say them, and events take them back.

Both are dataset facets and name the generations that they are about: ``generations``, a list of versions, or else the
version that the same mention declares. See docs/semantics.md, rules 14 and 15; the schemas stand in docs/facets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from headwater.collector.facts import Mark, MarkKind
from headwater.shared.event import Name

WITHDRAWAL_FACET: Final = "headwater_withdrawal"
"""``generations``, ``withdrawn`` (true if left out), ``reason``, ``author``."""
BAD_FACET: Final = "headwater_bad"
"""``generations``, ``bad`` (true if left out), ``reason``, ``author``."""
MARKING: Final[Mapping[str, tuple[MarkKind, str]]] = {
    WITHDRAWAL_FACET: ("withdrawn", "withdrawn"),
    BAD_FACET: ("bad", "bad"),
}
"""Facet to what it says, and the key that says whether that stands."""
MAX_GENERATIONS: Final = 1000
"""That one facet may name."""


def marks_of(
    facet_name: str, facet: Mapping[str, Any], dataset: Name, declared: str, time: str, event_id: str
) -> Iterator[Mark]:
    """What a facet says of each generation that it names; ``declared``: the mention's own version or ``""``.
    ``_deleted`` takes the word back, as ``false`` does. Raises ValueError, its arguments the place in the facet and
    what is wrong."""
    kind, key = MARKING[facet_name]
    stands = facet.get(key, True)
    if type(stands) is not bool:
        raise ValueError(f"/{key}", "must be true or false")
    for word in ("reason", "author"):
        if facet.get(word) is not None and type(facet[word]) is not str:
            raise ValueError(f"/{word}", "must be a text")
    stands = stands and facet.get("_deleted") is not True
    for version in _named(facet.get("generations"), declared):
        yield Mark(dataset, version, kind, time, event_id, stands, facet.get("reason"), facet.get("author"))


def _named(generations: Any, declared: str) -> list[str]:
    """Each once, sorted."""
    if generations is None:
        generations = [declared] if declared else []
    if type(generations) is not list or not generations or len(generations) > MAX_GENERATIONS:
        raise ValueError("/generations", f"must list 1 to {MAX_GENERATIONS} versions, if the mention declares none")
    for index, version in enumerate(generations):
        if type(version) is not str or not version.strip():
            raise ValueError(f"/generations/{index}", "must be a text that is not blank")
    return sorted(set(generations))
