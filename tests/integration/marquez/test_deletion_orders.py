"""Deletions are facts like any other: the order in which they come changes nothing."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import orjson
import pytest

from headwater.collector.api.marquez.writing.catalog_events import dataset_deletion, job_deletion, namespace_deletion
from headwater.shared.event import Name
from headwater.shared.times import parse
from tests.integration.marquez.events import dataset, event
from tests.support.worlds import ENGINES, LOCAL, World

NOW = parse("2026-01-01T00:00:00Z")
FIRST, LATER = parse("2025-01-01T00:00:00Z"), parse("2025-01-02T00:00:00Z")
J, OTHER, D = Name("ns", "j"), Name("ns", "other"), Name("db", "d")
EVENTS = [
    event("COMPLETE", 1, "j", [], [dataset("d")]),
    event("COMPLETE", 2, "other", [dataset("d")], [], time="2025-01-02T00:00:00Z"),
    job_deletion(NOW, J, FIRST),
    dataset_deletion(NOW, D, FIRST),
    namespace_deletion(NOW, "ns", FIRST, FIRST),
]


async def picture(world: World) -> list[Any]:
    reader = world.questions.reader
    jobs, datasets = await reader.jobs([J, OTHER]), await reader.datasets([D])
    return [
        {name: facts.deleted for name, facts in jobs.items()},
        {name: facts.deleted for name, facts in datasets.items()},
        await reader.list_jobs(None, 10, 0),
        await reader.list_jobs("ns", 10, 0),
        await reader.list_datasets("db", 10, 0),
        [(edge.job, edge.dataset) for edge in await reader.job_edges([J, OTHER], [])],
        [each[:4] for each in await reader.namespace_facts()],
        await world.questions.fingerprint(),
    ]


@pytest.mark.parametrize("engine", list(ENGINES))
async def test_every_order_leaves_the_same(engine: str) -> None:
    raw = [orjson.dumps(each) for each in EVENTS]
    orders = list(permutations(raw))[:: 7 if engine in LOCAL else 59]
    first = None
    for order in orders:
        async with ENGINES[engine]() as world:
            await world.take([[each] for each in order])
            found = await picture(world)
        first = first or found
        assert found == first
    assert first is not None
    assert first[0] == {J: True, OTHER: False}
    assert first[1] == {D: False}, "it was read after the time up to which it was deleted"
    assert first[2] == first[3] == (1, [OTHER])
    assert first[5] == [(OTHER, D)]
    assert first[6] == [("db", FIRST, None, False), ("ns", FIRST, FIRST, False)]
