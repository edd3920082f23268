"""Two readers of the same events give the same answers to every kind of fetch."""

from __future__ import annotations

import asyncio

from headwater.collector.questions.fingerprint import fingerprint_of
from headwater.collector.stores.graph import Neo4jLineageStore
from headwater.collector.stores.reading import GraphReader
from headwater.collector.testing.conformance.comparing import fetch_differences


async def fingerprint(graph: Neo4jLineageStore) -> str:
    lines = await graph.graph_reader().base_lines()
    return await asyncio.to_thread(fingerprint_of, lines)


async def compare(ours: GraphReader, theirs: GraphReader) -> None:
    """Every kind of fetch, on all that there is."""
    wrong = await fetch_differences(ours, theirs)
    assert not wrong, "\n".join(wrong[:10])
