"""Comparing stores and repairing them, over stores in memory."""

from __future__ import annotations

import json

import pytest
from tests.support.worlds import projected

from headwater.collector.maintenance.reconciling import Reconciler
from headwater.collector.maintenance.report import MAX_EXAMPLES, Report
from headwater.collector.pipeline.pace import ManualPace
from headwater.collector.policy import RetryPolicy
from headwater.collector.stores.composite import CompositeLineageStore
from headwater.collector.stores.logging_store import LoggingLineageStore
from headwater.shared import times
from headwater.shared.clock import ManualClock
from headwater.shared.errors import TransientError

from .memories import MemoryDocuments, MemoryGraph, down, never, pair


def raw(number: int) -> bytes:
    """An event of its own run."""
    return json.dumps(
        {
            "eventType": "COMPLETE",
            "eventTime": "2026-03-02T02:00:00Z",
            "producer": "https://example.org/tests",
            "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
            "run": {"runId": f"00000000-0000-4000-8000-{number:012}"},
            "job": {"namespace": "shop", "name": "load"},
            "outputs": [{"namespace": "shop", "name": f"orders {number}"}],
        }
    ).encode()


def event_id(number: int) -> str:
    return projected(raw(number)).event.event_id


async def fill(store: MemoryDocuments | MemoryGraph, *numbers: int) -> None:
    await store.write([projected(raw(number)) for number in numbers])


async def reconciled(stores: CompositeLineageStore, *, dry_run: bool = False, only: list[str] | None = None) -> Report:
    report = Report(dry_run=dry_run)
    await stores.open()
    await Reconciler(stores, report, only=only, grace_s=0).run()
    return report


async def test_a_graph_gets_what_the_documents_have() -> None:
    documents, graph, stores = pair()
    await fill(documents, *range(1200))
    await fill(graph, *range(0, 1200, 3))
    report = await reconciled(stores)
    assert report.as_dict()["stores"] == {
        "document": {"held": 1200, "lacked": 0, "repaired": 0, "refused": 0},
        "graph": {"held": 400, "lacked": 800, "repaired": 800, "refused": 0},
    }
    assert report.agree
    assert graph.facts == documents.facts
    again = await reconciled(stores)
    assert again.agree
    assert again.differences == 0


async def test_a_dry_run_writes_nothing_and_says_as_much() -> None:
    documents, graph, stores = pair()
    await fill(documents, *range(50))
    await fill(graph, 1)
    report = await reconciled(stores, dry_run=True)
    assert (report.lacked["graph"], report.repaired["graph"], len(graph.documents)) == (49, 0, 1)
    assert not report.agree
    assert len(report.as_dict()["examples"]["lacked"]) == MAX_EXAMPLES


async def test_what_only_the_graph_has_is_reported() -> None:
    documents, graph, stores = pair()
    await fill(documents, 1, 2)
    await fill(graph, 2, 3, 4)
    report = await reconciled(stores)
    assert (report.without_document, report.repaired["graph"]) == (2, 1)
    assert {each.event_id for each in report.examples["withoutDocument"]} == {event_id(3), event_id(4)}
    assert not report.agree


async def test_documents_are_repaired_from_other_documents() -> None:
    first, second, graph = MemoryDocuments("first"), MemoryDocuments("second"), MemoryGraph("graph")
    await fill(first, 1, 2)
    await fill(second, 2, 3)
    report = await reconciled(CompositeLineageStore([first, second, graph]))
    assert first.documents == second.documents == graph.documents
    assert dict(report.repaired) == {"first": 1, "second": 1, "graph": 3}
    assert report.agree


async def test_only_the_named_store_is_repaired() -> None:
    first, second, graph = MemoryDocuments("first"), MemoryDocuments("second"), MemoryGraph("graph")
    await fill(first, 1)
    report = await reconciled(CompositeLineageStore([first, second, graph]), only=["graph"])
    assert (len(graph.documents), len(second.documents)) == (1, 0)
    assert report.agree


async def test_one_refused_event_takes_no_other_with_it() -> None:
    documents, graph, stores = pair()
    await fill(documents, *range(30))
    graph.failing = never(event_id(7))
    report = await reconciled(stores)
    assert graph.documents.keys() == documents.documents.keys() - {event_id(7)}
    assert (report.repaired["graph"], report.refused["graph"]) == (29, 1)
    assert [each.as_dict() for each in report.examples["refused"]] == [
        {"eventId": event_id(7), "store": "graph", "reason": "never"}
    ]
    assert not report.agree


async def test_a_document_that_cannot_be_read_is_reported() -> None:
    documents, graph, stores = pair()
    await fill(documents, 1, 2, 3)
    documents.documents[event_id(1)] = b"{"
    documents.documents[event_id(2)] = raw(99)
    report = await reconciled(stores)
    reasons = {each.event_id: each.reason for each in report.examples["unreadable"]}
    assert reasons[event_id(1)].startswith("not_json")
    assert event_id(99) in reasons[event_id(2)]
    assert list(graph.documents) == [event_id(3)]
    assert not report.agree


async def test_a_store_that_fails_ends_it_and_the_rest_can_follow() -> None:
    documents, graph, _ = pair()
    clock = ManualClock()
    stores = CompositeLineageStore([documents, graph], clock=clock)
    await fill(documents, *range(1200))
    await stores.open()
    report = Report()
    work = Reconciler(
        stores, report, grace_s=0, pace=ManualPace(clock), clock=clock, retry=RetryPolicy(tries=2),
        progress=lambda step, done, total: setattr(graph, "failing", down) if step == "repair graph" else None,
    )  # fmt: skip
    with pytest.raises(TransientError, match="graph: down"):
        await work.run()
    assert 0 < report.repaired["graph"] == len(graph.documents) < 1200
    assert not report.complete
    graph.failing = lambda _: None
    clock.advance(60)
    assert (await reconciled(CompositeLineageStore([documents, graph]))).agree
    assert len(graph.documents) == 1200


async def test_what_collectors_write_meanwhile_is_no_difference() -> None:
    documents, graph, stores = pair()
    await fill(documents, *range(20))
    await fill(graph, *range(10))
    # The documents have been read, the graph has not: a collector writes to both. Then the other way round.
    documents.scanned = lambda: fill_now([documents, graph], 100)

    def graph_scanned() -> None:
        fill_now([documents, graph], 101)
        fill_now([graph], *range(10, 20))

    graph.scanned = graph_scanned
    report = await reconciled(stores)
    assert (report.differences, report.agree) == (0, True)


def fill_now(stores: list[MemoryDocuments | MemoryGraph], *numbers: int) -> None:
    for store in stores:
        store.documents |= {event_id(number): raw(number) for number in numbers}


async def test_a_young_event_gets_the_time_to_arrive() -> None:
    clock = ManualClock()
    documents, graph, stores = pair(clock)
    await fill(documents, 1, 2, 3)
    await fill(graph, 4)
    documents.received = {event_id(number): times.now_text(clock) for number in (1, 2)}

    class Arriving(ManualPace):
        async def pause(self, seconds: float) -> bool:
            fill_now([graph], 1)
            fill_now([documents], 4)
            return await super().pause(seconds)

    report, pace = Report(dry_run=True), Arriving(clock)
    await stores.open()
    await Reconciler(stores, report, grace_s=10, pace=pace, clock=clock).run()
    assert pace.paused_s == 10
    assert {each.event_id for each in report.examples["lacked"]} == {event_id(2), event_id(3)}
    assert report.without_document == 0


async def test_stores_that_cannot_be_read_are_named() -> None:
    documents, _, _ = pair()
    report = await reconciled(CompositeLineageStore([documents, LoggingLineageStore()]))
    assert report.not_compared == ["logging"]
    assert report.held == {}
    assert report.agree
