"""The memory store's merge rules, and the logging store's lines."""

from __future__ import annotations

import io
import itertools
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.collector.facts import (
    DatasetSeen,
    DesignIO,
    FacetSaid,
    Fact,
    JobSeen,
    Lifecycle,
    RunIO,
    RunJob,
    RunSeen,
    RunState,
    Scope,
    Side,
)
from headwater.collector.projection import project
from headwater.collector.stores import LoggingLineageStore, MemoryLineageStore, ProjectedEvent
from headwater.collector.stores.memory import key_of, merge
from headwater.shared.codec import decode
from headwater.shared.errors import ConfigurationError, TransientError
from headwater.shared.event import Name

T = st.sampled_from(["2026-01-01", "2026-01-02", "2026-01-03"])
NAME = st.just(Name("db", "x"))
ID = st.sampled_from(["aa", "bb"])
FACT = st.one_of(
    st.builds(JobSeen, NAME, T, T),
    st.builds(DatasetSeen, NAME, T, T),
    st.builds(RunSeen, st.just("r"), T, T),
    st.builds(RunJob, st.just("r"), st.integers(0, 1), T, ID, st.sampled_from([Name("j", "1"), Name("j", "2")])),
    st.builds(RunState, st.just("r"), st.sampled_from(["START", "FAIL"]), T),
    st.builds(RunIO, st.just("r"), st.sampled_from(Side), NAME, st.sampled_from(["", "v1"]), T, st.none() | T),
    st.builds(FacetSaid, st.just(Scope.RUN), st.just(("r",)), st.just("f"), T, ID, st.sampled_from([None, b"1", b"2"])),
    st.builds(DesignIO, NAME, st.just(Side.INPUT), T, ID, st.sampled_from([(), (Name("db", "y"),)])),
    st.builds(Lifecycle, NAME, T, st.just("DROP"), st.none()),
)


def _folded(facts: Any) -> dict[tuple[object, ...], Fact]:
    found: dict[tuple[object, ...], Fact] = {}
    for fact in facts:
        key = key_of(fact)
        found[key] = merge(found[key], fact) if key in found else fact
    return found


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(FACT, max_size=5))
def test_facts_merge_the_same_in_every_order_and_however_often(facts: list[Fact]) -> None:
    expected = _folded(facts)
    for order in itertools.permutations(facts):
        assert _folded([*order, *order[:2]]) == expected


def test_facts_of_different_keys_do_not_merge() -> None:
    with pytest.raises(ValueError, match="no common key"):
        merge(RunState("r", "START", "t"), RunState("r", "FAIL", "t"))


async def test_the_memory_store_does_not_depend_on_order_or_batches(good: Any) -> None:
    items = [ProjectedEvent(event, project(event)) for event in (decode(good(n)) for n in range(5))]
    spelled = decode(json.dumps(json.loads(good(3)), indent=2).encode())
    items.append(ProjectedEvent(spelled, project(spelled)))
    one, two = MemoryLineageStore(), MemoryLineageStore()
    await one.write(items)
    for item in reversed(items):
        await two.write([item])
    assert (one.documents, one.facts) == (two.documents, two.facts)
    assert len(one.documents) == 5


async def test_the_logging_store_writes_one_json_line_an_event(good: Any) -> None:
    stream = io.StringIO()
    store = LoggingLineageStore(stream)
    event = decode(good(1, job={"namespace": "jobs", "name": "größe\n2"}))
    await store.open()
    await store.write([ProjectedEvent(event, project(event))] * 2)
    await store.ping()
    await store.close()
    lines = stream.getvalue().splitlines()
    assert len(lines) == 2
    line = json.loads(lines[0])
    assert line["event"] == "lineage_event"
    assert line["event_id"] == event.event_id
    assert line["job"] == {"namespace": "jobs", "name": "größe\n2"}
    assert line["body"] == event.body


async def test_a_closed_stream_is_a_transient_failure(good: Any) -> None:
    stream = io.StringIO()
    store = LoggingLineageStore(stream)
    stream.close()
    event = decode(good(1))
    with pytest.raises(TransientError):
        await store.ping()
    with pytest.raises(TransientError):
        await store.write([ProjectedEvent(event, project(event))])
    with pytest.raises(ConfigurationError, match="stderr"):
        LoggingLineageStore("nowhere")
