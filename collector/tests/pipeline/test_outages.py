"""Stores and topics that are down for a while, or for good."""

from __future__ import annotations

from typing import Any

from headwater.collector.pipeline import Outcome
from headwater.collector.policy import RetryPolicy
from headwater.shared.errors import LogFullError, TransientError
from headwater.shared.log import Record
from headwater.shared.log.memory import MemoryLog
from headwater.shared.names import METRIC_LOG_LAG

STORED, RETRY, DEAD = Outcome.STORED, Outcome.RETRY, Outcome.DEAD_LETTER
DOWN = TransientError("down")


async def test_a_short_failure_is_tried_again_in_the_process(world: Any, good: Any, scripted: Any) -> None:
    store = scripted()
    store.script.extend([DOWN, DOWN])
    w = await world(store)
    assert await w.outcomes(good(1)) == [STORED]
    assert store.calls == [1, 1, 1]


async def test_a_longer_failure_climbs_the_ladder_and_is_stored_in_the_end(
    world: Any, good: Any, scripted: Any
) -> None:
    store = scripted()
    store.script.extend([DOWN] * 3)  # the first delivery
    w = await world(store)
    began_s = w.clock.now_s()
    [settlement] = await w.send(good(1))
    assert (settlement.outcome, settlement.reason, settlement.failed_stores) == (RETRY, "store_down", ("scripted",))
    await w.until(lambda: len(store.documents) == 1)
    assert w.clock.now_s() - began_s >= 5
    [record] = await w.log.read("t.retry.1", 0, max_records=10)
    assert record.value == good(1)
    assert record.key == b"key"
    assert record.header("headwater-failed-stores") == b"scripted"
    assert record.header("headwater-origin") == b"t/0/0"
    assert record.header("headwater-attempt") == b"1"
    assert await w.letters.count() == 0


async def test_what_always_fails_is_a_dead_letter_after_the_last_attempt_and_takes_no_other_with_it(
    world: Any, good: Any, scripted: Any
) -> None:
    store = scripted()
    store.fails_on = lambda item: item.event.job.name == "job-5"
    w = await world(store, start=False)
    await w.log.append("t", [Record(good(n)) for n in range(16)])
    await w.start()
    assert {s.outcome for s in await w.pipeline.wait_settled(range(16))} == {RETRY}
    await w.until(lambda: len(store.documents) == 15)
    await w.until(lambda: w.pipeline.metrics.value("headwater_events_dead_total", reason="retries_exhausted") == 1)
    [letter] = (await w.letters.list()).letters
    assert letter.envelope.value == good(5)
    assert (letter.envelope.topic, letter.envelope.offset, letter.envelope.attempt) == ("t", 5, 4)
    assert letter.failure.failed_stores == ("scripted",)
    assert letter.envelope.first_failed_ms is not None
    assert letter.envelope.first_failed_ms < letter.appended_ms


async def test_a_store_that_is_down_pauses_the_pipeline_and_it_goes_on_by_itself(
    world: Any, good: Any, scripted: Any
) -> None:
    store = scripted()
    w = await world(store)
    assert w.pipeline.health().ready
    store.down = True
    [first] = await w.send(good(0))
    assert first.outcome is RETRY  # three failures opened the breaker
    await w.log.append("t", [Record(good(n)) for n in range(1, 200)])
    # Lanes with nothing to do ping, too, so pings alone do not say that the main lane has read on.
    await w.until(lambda: store.pings >= 5 and w.pipeline.health().checks["lane main"].startswith("waits for scripted"))
    health = w.pipeline.health()
    assert not health.ready
    assert health.checks["store scripted"] == "down"
    assert (await w.log.size("t.retry.1"))[1] == 1  # no flood
    assert w.pipeline.metrics.value("headwater_breaker_state", store="scripted") == 2
    store.down = False
    await w.until(lambda: len(store.documents) == 200)
    assert w.pipeline.health().ready
    assert w.pipeline.metrics.value("headwater_breaker_state", store="scripted") == 0
    assert await w.letters.count() == 0
    assert await w.pipeline.drain(timeout_s=10)
    assert w.pipeline.metrics.value(METRIC_LOG_LAG, topic="t") == 0


async def test_a_store_that_is_down_at_the_start_is_opened_when_it_is_back(
    world: Any, good: Any, scripted: Any
) -> None:
    store = scripted()
    store.down = True
    w = await world(store)
    assert not w.pipeline.health().ready
    await w.log.append("t", [Record(good(1))])
    await w.until(lambda: w.pipeline.health().checks["lane main"] != "ok")
    store.down = False
    await w.until(lambda: len(store.documents) == 1)
    assert (await w.log.size("t.retry.1"))[1] == 0


async def test_a_retry_writes_only_to_the_store_that_failed(world: Any, good: Any, scripted: Any) -> None:
    well, ill = scripted("well"), scripted("ill")
    ill.script.extend([DOWN] * 3)
    w = await world(well, ill)
    [settlement] = await w.send(good(1))
    assert (settlement.outcome, settlement.failed_stores) == (RETRY, ("ill",))
    await w.until(lambda: len(ill.documents) == 1)
    assert well.calls == [1]
    assert ill.calls == [1, 1, 1, 1]


async def test_a_store_that_refuses_while_another_fails_makes_a_dead_letter_and_a_retry(
    world: Any, good: Any, scripted: Any
) -> None:
    picky, ill = scripted("picky"), scripted("ill")
    picky.refuses = lambda item: True
    ill.script.extend([DOWN] * 3)
    w = await world(picky, ill)
    [settlement] = await w.send(good(1))
    assert (settlement.outcome, settlement.failed_stores) == (DEAD, ("picky",))
    await w.until(lambda: len(ill.documents) == 1)
    assert picky.calls == [1]


async def test_a_store_that_is_no_longer_configured_makes_a_dead_letter(world: Any, good: Any, scripted: Any) -> None:
    ill = scripted("gone")
    ill.script.extend([DOWN] * 3)
    first = await world(ill, start=True, retry=RetryPolicy(ladder_s=(3600.0,)))
    [settlement] = await first.send(good(1))
    assert settlement.outcome is RETRY
    await first.pipeline.stop()
    second = await world(scripted("new"), log=first.log)
    await second.until(
        lambda: second.pipeline.metrics.value("headwater_events_dead_total", reason="unknown_store") == 1
    )
    assert second.stores[0].calls == []


async def test_the_offset_is_held_while_the_dead_letters_cannot_be_written(world: Any, good: Any) -> None:
    log = MemoryLog()
    w = await world(log=log)
    await log.append("t", [Record(b"poison"), Record(good(1))])
    log.fail_next(*[LogFullError("full")] * 5, OSError(28, "no space"))
    [poison, fine] = await w.pipeline.wait_settled([0, 1])
    assert (poison.outcome, fine.outcome) == (DEAD, STORED)
    assert w.pace.paused_s > 3
    assert await w.letters.count() == 1


async def test_nothing_is_lost_when_it_stops_while_the_offset_is_held(world: Any, good: Any) -> None:
    log = MemoryLog()
    w = await world(log=log)
    await log.append("t", [Record(b"poison"), Record(good(1))])
    log.fail_next(*[LogFullError("full")] * 100_000)
    await w.until(lambda: "cannot be written" in w.pipeline.health().checks["lane main"])
    assert w.pipeline.metrics.value("headwater_lane_held", lane="main") == 1
    await w.pipeline.stop()
    log._failures.clear()
    again = await world(log=log)
    [poison, fine] = await again.pipeline.wait_settled([0, 1])
    assert (poison.outcome, fine.outcome) == (DEAD, STORED)


async def test_a_log_that_cannot_be_read_for_a_while_is_read_later(world: Any, good: Any) -> None:
    class Flaky(MemoryLog):
        failures = 3

        def consumer(self, group: str, topics: Any, **more: Any) -> Any:
            if topics == ["t"] and self.failures:
                self.failures -= 1
                raise (TransientError("no broker") if self.failures else RuntimeError("bug"))
            return super().consumer(group, topics)

    w = await world(log=Flaky())
    assert await w.outcomes(good(1)) == [STORED]
    assert w.pipeline.metrics.value("headwater_lane_restarts_total", lane="main") == 3
    assert w.pipeline.health().ready
