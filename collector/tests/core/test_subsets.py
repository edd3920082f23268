"""Which parts of a dataset meet, by the standard facet ``subset``."""

from __future__ import annotations

from typing import Any

import pytest

from headwater.collector.derive.subsets import MAX_PARTS, Subset, condition, meeting, parse_partition

UNKNOWN = Subset(frozenset(), unknown=True)


def partitions(*dimensions: dict[str, Any]) -> dict[str, Any]:
    return {"type": "partition", "partitions": [{"dimensions": each} for each in dimensions]}


def equal(field: str, value: str, comparison: str = "EQUAL") -> dict[str, Any]:
    sides = {"left": {"type": "literal", "value": value}, "right": {"type": "field", "field": field}}
    return {"type": "compare", "comparison": comparison, **sides}


def binary(operator: str, left: Any, right: Any) -> dict[str, Any]:
    return {"type": "binary", "operator": operator, "left": left, "right": right}


def located(*locations: str) -> dict[str, Any]:
    return {"type": "location", "locations": list(locations)}


@pytest.mark.parametrize(
    ("said", "parts"),
    [
        (partitions({"day": 1, "eu": True}), [{"day": "1", "eu": "true"}]),
        (partitions({"day": "1"}, {"day": "2"}), [{"day": "1"}, {"day": "2"}]),
        (equal("day", "1"), [{"day": "1"}]),
        (binary("AND", equal("day", "1"), equal("hour", "6")), [{"day": "1", "hour": "6"}]),
        (binary("and", partitions({"day": 1}, {"day": 2}), equal("day", "2")), [{"day": "2"}]),
        (binary("OR", equal("day", "1"), equal("hour", "6")), [{"day": "1"}, {"hour": "6"}]),
        (binary("AND", equal("day", "1"), equal("day", "2")), []),
    ],
)
def test_conditions_that_are_understood(said: Any, parts: list[dict[str, str]]) -> None:
    assert condition(said) == Subset(frozenset(frozenset(each.items()) for each in parts))


@pytest.mark.parametrize(
    "said",
    [
        None, {}, "day=1", {"type": "other"}, equal("day", "1", "GREATER_THAN"), partitions({"day": {"of": "week"}}),
        {"type": "partition", "partitions": [1]}, {"type": "location", "locations": "a"},
        binary("XOR", equal("a", "1"), equal("b", "1")), binary("OR", equal("a", "1"), None),
        binary("AND", located("a"), equal("a", "1")), partitions(*({"n": n} for n in range(MAX_PARTS + 1))),
        binary("AND", partitions(*({"n": n} for n in range(100))), partitions(*({"m": m} for m in range(100)))),
    ],
)  # fmt: skip
def test_any_other_condition_is_a_part_that_nobody_knows(said: Any) -> None:
    assert condition(said) == UNKNOWN


@pytest.mark.parametrize(
    ("a", "b", "met"),
    [
        (None, condition(equal("day", "1")), "yes"),
        (condition(equal("day", "1")), condition(equal("day", "1")), "yes"),
        (condition(equal("day", "1")), condition(equal("day", "2")), "no"),
        (condition(equal("day", "1")), condition(equal("region", "eu")), "yes"),
        (condition(partitions({"day": 1, "hour": 6})), condition(partitions({"day": 1, "hour": 7})), "no"),
        (condition(located("s3://a")), condition(located("s3://a", "s3://b")), "yes"),
        (condition(located("s3://a")), condition(located("s3://b")), "no"),
        (condition(located("s3://a")), condition(equal("day", "1")), "maybe"),
        (UNKNOWN, condition(equal("day", "1")), "maybe"),
        (UNKNOWN, None, "yes"),
    ],
)
def test_what_meets(a: Subset | None, b: Subset | None, met: str) -> None:
    assert meeting(a, b) == meeting(b, a) == met


def test_a_partition_as_people_write_it() -> None:
    assert parse_partition(["day=1", "path=a=b"]) == condition(partitions({"day": "1", "path": "a=b"}))
    for wrong in (["day"], ["=1"], ["day=1", "day=2"]):
        with pytest.raises(ValueError, match="DIMENSION=VALUE"):
            parse_partition(wrong)
