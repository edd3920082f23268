"""What a worker says: which event it is about, and at most one line a minute of each kind."""

from __future__ import annotations

import itertools
import logging
from collections import defaultdict
from typing import Any

from structlog.testing import capture_logs

from headwater.collector.driver_lines import DriverLines
from headwater.collector.sparse import EVERY_S, SparseLog
from headwater.shared.clock import ManualClock
from headwater.shared.errors import LogFullError
from headwater.shared.log import Record
from headwater.shared.log.memory import MemoryLog


def timed(world: Any) -> tuple[list[tuple[float, dict[str, Any]]], Any]:
    """Lines with the world's own time, and the processor that notes them."""
    lines: list[tuple[float, dict[str, Any]]] = []

    def note(_: Any, __: str, event: Any) -> Any:
        lines.append((world.clock.monotonic_s(), dict(event)))
        return event

    return lines, note


def kinds(lines: list[tuple[float, dict[str, Any]]]) -> dict[tuple[str, str], list[float]]:
    """Times by event and whose it is."""
    found: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for at_s, line in lines:
        found[line["event"], str(line.get("store") or (line.get("lane"), line.get("reason")))].append(at_s)
    return found


async def test_a_line_about_an_event_names_run_and_event(world: Any, good: Any, scripted: Any) -> None:
    store = scripted()
    store.refuses = lambda item: item.event.job.name == "job-1"
    w = await world(store)
    with capture_logs() as lines:
        await w.send(good(1))
        await w.send(b"poison")
    refused, poison = (line for line in lines if line["event"] == "dead_letters")
    [named] = refused["first"]
    assert named["run_id"] == "00000000-0000-7000-8000-000000000001"
    [letter] = (await w.letters.list(limit=1)).letters
    assert named["event_id"] == letter.failure.event_id
    assert len(named["event_id"]) == 32
    assert (refused["reason"], refused["lane"], named["origin"]) == ("refused", "main", "t/0/0")
    [named] = poison["first"]
    assert (named["run_id"], named["event_id"], named["origin"]) == (None, None, "t/0/1")


async def test_a_retry_names_run_and_event(world: Any, good: Any, scripted: Any) -> None:
    store = scripted()
    store.down = True
    w = await world(store, start=False)
    await w.pipeline.start()
    with capture_logs() as lines:
        await w.send(good(1))
        store.down = False
        await w.until(lambda: len(store.documents) == 1)
    [retried] = [line for line in lines if line["event"] == "retried_later"]
    assert retried["first"][0]["run_id"].endswith("0001")
    assert len(retried["first"][0]["event_id"]) == 32
    assert [line["event"] for line in lines if line["event"].startswith("store_")] == ["store_down", "store_back"]


async def test_an_outage_of_hours_says_one_line_a_minute_of_each_kind(world: Any, good: Any, scripted: Any) -> None:
    store = scripted()
    w = await world(store)
    lines, note = timed(w)
    with capture_logs(processors=[note]):
        store.down = True
        await w.log.append("t", [Record(good(n)) for n in range(50)])
        began_s = w.clock.monotonic_s()
        await w.until(lambda: w.clock.monotonic_s() - began_s > 3 * 3600)
        store.down = False
        await w.until(lambda: len(store.documents) == 50)
    assert store.pings > 300
    told = kinds(lines)
    assert {"store_down", "store_back"} <= {event for event, _ in told}
    for kind, times in told.items():
        assert all(b - a >= EVERY_S for a, b in itertools.pairwise(times)), kind


async def test_a_held_offset_says_one_line_a_minute(world: Any, good: Any) -> None:
    log = MemoryLog()
    w = await world(log=log)
    lines, note = timed(w)
    with capture_logs(processors=[note]):
        await log.append("t", [Record(b"poison"), Record(good(1))])
        log.fail_next(*[LogFullError("full")] * 200)
        await w.pipeline.wait_settled([0, 1])
    assert w.pace.paused_s > 600
    times = kinds(lines)["offset_held", "('main', None)"]
    assert 10 <= len(times) <= 2 + w.pace.paused_s / EVERY_S
    assert all(b - a >= EVERY_S for a, b in itertools.pairwise(times))
    assert sum(1 + line.get("held_back", 0) for _, line in lines if line["event"] == "offset_held") >= 180


async def test_a_burst_of_poison_says_one_line_a_reason(world: Any) -> None:
    w = await world(max_records=1)
    with capture_logs() as lines:
        await w.send(*[b"poison"] * 30, *[b"{}"] * 30)
    assert await w.letters.count() == 60
    told = [line["reason"] for line in lines if line["event"] == "dead_letters"]
    assert len(told) == len(set(told)) == 2


def test_what_was_held_back_is_counted() -> None:
    clock = ManualClock()
    log = SparseLog(clock)
    with capture_logs() as lines:
        for _ in range(3):
            log.warning("down", of="a", store="a")
        log.warning("down", of="b", store="b")
        clock.advance(EVERY_S)
        log.warning("down", of="a", store="a")
    assert [(line["store"], line.get("held_back")) for line in lines] == [("a", None), ("b", None), ("a", 2)]


def test_a_driver_that_repeats_itself_is_told_once_a_minute() -> None:
    clock = ManualClock()
    logger = logging.Logger("some.driver")
    logger.addHandler(DriverLines(clock))
    with capture_logs() as lines:
        for _ in range(20):
            logger.error("no route to %s", "bolt://user:hunter2@db:7687")
        clock.advance(EVERY_S)
        logger.error("no route")
        logger.info("connected")
    assert [(line["event"], line["logger"], line.get("held_back")) for line in lines] == [
        ("driver", "some.driver", None),
        ("driver", "some.driver", 19),
    ]
    assert "hunter2" not in str(lines)
