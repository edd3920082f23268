"""Keys of names: another one for each name, alike within a family."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.collector.merging.keys import name_key, run_key, run_text
from headwater.shared.event import Name

FAMILY = 3
"""Bytes that the keys of one family share."""
texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=20)


@given(st.sets(st.tuples(texts, texts), min_size=2, max_size=20))
def test_each_name_has_a_key_of_its_own(names: set[tuple[str, str]]) -> None:
    keys = {name_key(Name(*name)) for name in names}
    assert len(keys) == len(names)
    assert {len(key) for key in keys} == {16}


@pytest.mark.parametrize(
    ("one", "another"),
    [
        ("db.schema.orders", "db.schema.items"),
        ("/data/2026/part-0001.parquet", "/data/2026/part-0002.parquet"),
        ("dag.extract", "dag.load"),
        ("orders", "items"),
    ],
)
def test_a_family_shares_the_beginning(one: str, another: str) -> None:
    keys = [name_key(Name("space", name)) for name in (one, another)]
    assert keys[0][:FAMILY] == keys[1][:FAMILY]
    assert keys[0] != keys[1]


@pytest.mark.parametrize(
    ("one", "another"),
    [
        (Name("space", "db.a.orders"), Name("space", "db.b.orders")),
        (Name("space", "/a/x.csv"), Name("space", "/b/x.csv")),
        (Name("one", "orders"), Name("two", "orders")),
        (Name("a", "b.c"), Name("a.b", "c")),
    ],
)
def test_other_families_are_elsewhere(one: Name, another: Name) -> None:
    assert name_key(one)[:FAMILY] != name_key(another)[:FAMILY]


@given(st.uuids())
def test_a_run_is_its_uuid(run: object) -> None:
    assert run_text(run_key(str(run))) == str(run)
