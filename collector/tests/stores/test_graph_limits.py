"""The largest and longest that the codec takes: nothing of it is too long for an index, nothing is cut."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support.comparing import compare, fingerprint
from tests.support.worlds import World, projected, sqlite_world

from headwater.collector.stores.graph import Neo4jLineageStore
from headwater.collector.stores.reading import PinQuery, ReadQuery
from headwater.shared.event import Name
from headwater.shared.limits import DEFAULT_LIMITS

LONG = "😀" * DEFAULT_LIMITS.max_name_chars


def event(number: int, **more: Any) -> bytes:
    body: dict[str, Any] = {
        "eventType": "COMPLETE",
        "eventTime": "2026-01-01T00:00:00Z",
        "producer": "https://example.org/limits",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": f"00000000-0000-7000-8000-{number:012x}"},
        "job": {"namespace": "jobs", "name": f"j{number}"},
    }
    return json.dumps(body | more, ensure_ascii=False).encode()


async def both(graph: Neo4jLineageStore, sqlite: World, *raw: bytes) -> None:
    await graph.write([projected(one) for one in raw])
    await sqlite.take([raw])
    assert await fingerprint(graph) == await sqlite.questions.fingerprint()


async def test_names_and_versions_as_long_as_can_be(graph: Neo4jLineageStore) -> None:
    """Versions of one commit time that differ in their last character are told apart."""
    versions = [LONG[:-1] + last for last in "abc"]
    name = {"namespace": LONG, "name": LONG}
    raw = [
        event(number, job=name, outputs=[{**name, "facets": {"version": {"datasetVersion": version}}}])
        for number, version in enumerate(versions)
    ]
    key = {"headwater_attempt": {"logicalKey": LONG * 3}, LONG: {"x": LONG}}
    raw.append(event(9, run={"runId": "00000000-0000-7000-8000-000000000009", "facets": key}, inputs=[name]))
    async with sqlite_world() as sqlite:
        await both(graph, sqlite, *raw)
        reader, dataset = graph.graph_reader(), Name(LONG, LONG)
        current = (await reader.current([PinQuery((dataset,), None, None)]))[0]
        assert current is not None
        assert current.version == versions[2]
        older = await reader.history(
            [dataset], committed=True, limit=5, before=(current.commit_time or "", versions[2])
        )
        assert [claim.version for claim in older] == [versions[1], versions[0]]
        after = await reader.next_commit([dataset], (current.commit_time or "", versions[0]), "none")
        assert after is not None
        assert after.version == versions[1]
        assert len((await reader.reads([ReadQuery((dataset,), "", None, None)], 10))[0]) == 1
        await compare(reader, sqlite.questions.reader)


@pytest.mark.parametrize(
    "more",
    [
        {"run": {"runId": "00000000-0000-7000-8000-000000000001", "facets": {"big": {"x": "y" * 15_000_000}}}},
        {"inputs": [{"namespace": "db", "name": f"in{number}"} for number in range(5_000)]},
    ],
    ids=["a facet of 15 MB", "5,000 inputs"],
)
async def test_the_largest_events(graph: Neo4jLineageStore, more: dict[str, Any]) -> None:
    async with sqlite_world() as sqlite:
        await both(graph, sqlite, event(1, **more))
        await both(graph, sqlite, event(1, **more, eventTime="2026-01-02T00:00:00Z"))
