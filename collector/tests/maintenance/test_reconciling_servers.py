"""Comparing and repairing MongoDB, Neo4j and SQLite."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from tests.reference.test_histories import raw_events
from tests.support.comparing import fingerprint
from tests.support.seeds import rng
from tests.support.worlds import World, projected, sqlite_world

from headwater.collector.maintenance.reconciling import Reconciler
from headwater.collector.maintenance.report import Report
from headwater.collector.stores.composite import CompositeLineageStore
from headwater.collector.stores.document import DocumentLineageStore
from headwater.collector.stores.graph import Neo4jLineageStore
from headwater.collector.testing.reference.histories import Historian


@pytest.fixture
async def sqlite() -> AsyncIterator[World]:
    async with sqlite_world() as world:
        yield world


def history(*parts: object) -> list[bytes]:
    """Some hundred events."""
    return list(dict.fromkeys(raw_events(Historian(rng("reconcile", *parts), runs=60).history())))


async def reconciled(stores: CompositeLineageStore, *, dry_run: bool = False) -> Report:
    report = Report(dry_run=dry_run)
    await stores.open()
    await Reconciler(stores, report, grace_s=0).run()
    return report


async def test_documents_and_graph(documents: DocumentLineageStore, graph: Neo4jLineageStore, sqlite: World) -> None:
    raw = history("pair")
    events = {projected(one).event.event_id: projected(one) for one in raw}
    await documents.write(list(events.values()))
    await sqlite.take([raw])
    await graph.write([each for number, each in enumerate(events.values()) if number % 3])
    lacking = set(events) - await graph.graph_reader().known_events(events)
    assert lacking
    stores = CompositeLineageStore([documents, graph])
    dry = await reconciled(stores, dry_run=True)
    assert dry.held == {"document": len(events), "graph": len(events) - len(lacking)}
    assert (dry.lacked["graph"], dry.repaired["graph"], dry.agree) == (len(lacking), 0, False)
    report = await reconciled(stores)
    assert (report.repaired["graph"], report.agree) == (len(lacking), True)
    assert await fingerprint(graph) == await sqlite.questions.fingerprint()
    assert (await reconciled(stores)).differences == 0


async def test_all_three_while_a_collector_writes(
    documents: DocumentLineageStore, graph: Neo4jLineageStore, sqlite: World
) -> None:
    raw = history("live")
    events = list({projected(one).event.event_id: projected(one) for one in raw}.values())
    known, coming = events[: len(events) // 2], events[len(events) // 2 :]
    await documents.write(known[::2])
    await sqlite.store.write(known[1::2])
    stores = CompositeLineageStore([documents, sqlite.store, graph])
    await stores.open()

    async def collect() -> None:
        for start in range(0, len(coming), 20):
            await stores.write(coming[start : start + 20])

    report = Report()
    await asyncio.gather(collect(), Reconciler(stores, report, grace_s=1).run())
    report = await reconciled(stores)
    assert report.as_dict()["differences"] == 0
    assert report.held == dict.fromkeys(("document", "sql", "graph"), len(events))
    assert await fingerprint(graph) == await sqlite.questions.fingerprint()
    assert report.agree


async def test_what_only_the_graph_has(documents: DocumentLineageStore, graph: Neo4jLineageStore) -> None:
    events = list({projected(one).event.event_id: projected(one) for one in history("orphans")}.values())
    await documents.write(events[2:])
    await graph.write(events)
    report = await reconciled(CompositeLineageStore([documents, graph]))
    assert (report.without_document, report.agree) == (2, False)
    assert {each.event_id for each in report.examples["withoutDocument"]} == {e.event.event_id for e in events[:2]}
