"""Rule 18: which part of a dataset a run read or wrote, by the standard facet ``subset``."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from headwater.collector.derive.identity import Identity
from headwater.collector.facts import Scope
from headwater.collector.stores.reading import RunFacts
from headwater.shared.event import Name

SUBSET_FACET: Final = "subset"
MAX_PARTS: Final = 1000
"""That a condition may come to; with more, nobody knows what it is."""
Part: TypeAlias = frozenset[tuple[str, str]]
"""Values of dimensions."""
Meeting: TypeAlias = Literal["yes", "maybe", "no"]


class Subset(NamedTuple):
    """Any of the parts and locations; ``unknown``: and something that nobody knows. No Subset (None): the whole."""

    parts: frozenset[Part]
    locations: frozenset[str] = frozenset()
    unknown: bool = False


_UNKNOWN = Subset(frozenset(), unknown=True)
_CONDITIONS: Final = {Scope.INPUT_OWN: "inputCondition", Scope.OUTPUT_OWN: "outputCondition"}


def subset_of(
    run: RunFacts, scope: Literal[Scope.INPUT_OWN, Scope.OUTPUT_OWN], dataset: Name, version: str, identity: Identity
) -> Subset | None:
    """What the run says of this input or output (canonical), with this version or with none: the union of all that it
    says. Needs the facet ``subset`` in ``run``."""
    said = [
        facets[SUBSET_FACET]
        for (about, name, declared), facets in run.io_facets.items()
        if about is scope and SUBSET_FACET in facets and declared in ("", version) and identity.of(name) == dataset
    ]
    return union(condition(facet.get(_CONDITIONS[scope])) for facet in said) if said else None


def union(subsets: Iterable[Subset]) -> Subset:
    found = list(subsets)
    return Subset(
        frozenset(part for each in found for part in each.parts),
        frozenset(location for each in found for location in each.locations),
        any(each.unknown for each in found),
    )


def condition(value: Any) -> Subset:
    """A ``BaseSubsetCondition``; one that cannot be read is unknown."""
    kind = value.get("type") if type(value) is dict else None
    if kind == "partition":
        return _partitions(value.get("partitions"))
    if kind == "location":
        locations = value.get("locations")
        if type(locations) is list and all(type(each) is str for each in locations):
            return Subset(frozenset(), frozenset(locations))
    if kind == "compare":
        return _comparison(value)
    if kind == "binary":
        sides = condition(value.get("left")), condition(value.get("right"))
        return _joined(str(value.get("operator")).upper(), *sides)
    return _UNKNOWN


def _partitions(listed: Any) -> Subset:
    if type(listed) is not list or len(listed) > MAX_PARTS:
        return _UNKNOWN
    parts = []
    for partition in listed:
        dimensions = partition.get("dimensions") if type(partition) is dict else None
        if type(dimensions) is not dict or not all(type(each) in (str, int, bool) for each in dimensions.values()):
            return _UNKNOWN
        parts.append(frozenset((name, _text(each)) for name, each in dimensions.items()))
    return Subset(frozenset(parts))


def _text(value: str | bool | int) -> str:
    return str(value).lower() if type(value) is bool else str(value)


def _comparison(value: dict[str, Any]) -> Subset:
    sides = [side if type(side) is dict else {} for side in (value.get("left"), value.get("right"))]
    by_type = {side.get("type"): side for side in sides}
    field, literal = (by_type.get(kind, {}).get(key) for kind, key in (("field", "field"), ("literal", "value")))
    if value.get("comparison") != "EQUAL" or type(field) is not str or not isinstance(literal, str | int):
        return _UNKNOWN
    return Subset(frozenset({frozenset({(field, _text(literal))})}))


def _joined(operator: str, left: Subset, right: Subset) -> Subset:
    if left.unknown or right.unknown or operator not in ("AND", "OR"):
        return _UNKNOWN
    if operator == "OR":
        joined = union((left, right))
    elif left.locations or right.locations:
        return _UNKNOWN
    else:
        pairs = itertools.islice(itertools.product(left.parts, right.parts), MAX_PARTS + 1)
        joined = Subset(frozenset(a | b for a, b in pairs if _compatible(a, b)))
    return joined if len(joined.parts) <= MAX_PARTS else _UNKNOWN


def _compatible(a: Part, b: Part) -> bool:
    """No dimension has two values."""
    values = dict(a)
    return all(values.get(name, value) == value for name, value in b)


def parse_partition(texts: Iterable[str]) -> Subset:
    """One partition as people write it: ``dimension=value``, one text for each dimension. Raises ValueError."""
    values: dict[str, str] = {}
    for each in texts:
        name, equals, value = each.partition("=")
        if not name or not equals or name in values:
            raise ValueError(f"{each!r}: must be DIMENSION=VALUE, each dimension once")
        values[name] = value
    return Subset(frozenset({frozenset(values.items())}))


def meeting(a: Subset | None, b: Subset | None) -> Meeting:
    """Whether two parts of one dataset have something in common."""
    if a is None or b is None:
        return "yes"
    if a.locations & b.locations or any(_compatible(x, y) for x in a.parts for y in b.parts):
        return "yes"
    mixed = (a.locations and b.parts) or (a.parts and b.locations)
    return "maybe" if a.unknown or b.unknown or mixed else "no"
