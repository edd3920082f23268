"""What becomes of good events, of poison and of what a store refuses."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from headwater.collector.pipeline import Outcome
from headwater.shared.codec import decode
from headwater.shared.log import Record

STORED, RETRY, DEAD = Outcome.STORED, Outcome.RETRY, Outcome.DEAD_LETTER

POISON = {
    "not_json": b"{",
    "not_utf8": b'{"a": "\xff"}',
    "invalid_field": b'{"eventTime": "2026-01-01T00:00:00Z"}',
    "too_deep": b"[" * 500 + b"]" * 500,
    "duplicate_key": b'{"eventTime": "2026-01-01T00:00:00Z", "eventTime": "2026-01-01T00:00:00Z"}',
    "number_out_of_range": b'{"eventTime": 99999999999999999999999}',
    "nul": b'{"eventTime": "2026-01-01T00:00:00Z", "run": {"runId": "a"}, "job": {"name": "\\u0000"}}',
}
MORE_POISON = [
    b"",
    b"\x00",
    b"null",
    b"[]",
    b"3",
    b"NaN",
    b'{"a": NaN}',
    b"{}{}",
    b'{"a": "\\ud800"}',
    b"\xff\xfe{\x00}\x00",
    b" ",
]


async def test_events_are_stored_and_can_be_read_at_once(world: Any, good: Any) -> None:
    w = await world()
    assert await w.outcomes(good(1)) == [STORED]
    assert [json.loads(raw) for raw in w.stores[0].documents.values()] == [json.loads(good(1))]


async def test_poison_between_good_events_reaches_the_dead_letters_byte_for_byte(world: Any, good: Any) -> None:
    w = await world()
    poison = [*POISON.values(), *MORE_POISON]
    settlements = await w.send(*(value for n, bad in enumerate(poison) for value in (good(n), bad)))
    assert [s.outcome for s in settlements] == [STORED, DEAD] * len(poison)
    letters = (await w.letters.list()).letters
    assert [letter.envelope.value for letter in letters] == poison
    assert [letter.failure.reason for letter in letters][: len(POISON)] == list(POISON)
    assert [s.reason for s in settlements[1::2]] == [letter.failure.reason for letter in letters]
    assert [letter.envelope.offset for letter in letters] == list(range(1, 2 * len(poison), 2))
    assert {letter.envelope.key for letter in letters} == {b"key"}
    assert {letter.envelope.headers for letter in letters} == {(("h", b"1"),)}
    assert {(letter.envelope.topic, letter.failure.stage, letter.envelope.attempt) for letter in letters} == {
        ("t", "decode", 1)
    }
    assert len(w.stores[0].documents) == len(poison)
    assert w.metrics.value("headwater_events_dead_total", reason="too_deep") == 1
    assert w.metrics.value("headwater_events_settled_total", kind="run", outcome="stored") == len(poison)
    assert w.metrics.value("headwater_events_settled_total", kind="unknown", outcome="dead_letter") == len(poison)


async def test_an_error_while_projecting_is_a_dead_letter(world: Any, good: Any) -> None:
    def project(event: Any) -> Any:
        raise ZeroDivisionError("oops")

    w = await world(project=project)
    [settlement] = await w.send(good(1))
    assert (settlement.outcome, settlement.reason) == (DEAD, "projection_failed")
    [letter] = (await w.letters.list()).letters
    assert letter.failure.stage == "project"
    assert "ZeroDivisionError: oops" in letter.failure.error


async def test_refused_events_are_found_by_halving_and_the_others_are_stored(
    world: Any, good: Any, scripted: Any
) -> None:
    store = scripted()
    store.refuses = lambda item: item.event.job.name in ("job-3", "job-60")
    w = await world(store, start=False)
    await w.log.append("t", [Record(good(n)) for n in range(64)])
    await w.start()
    found = await w.pipeline.wait_settled(range(64))
    assert {s.offset for s in found if s.outcome is DEAD} == {3, 60}
    assert {s.outcome for s in found if s.offset not in (3, 60)} == {STORED}
    assert len(store.documents) == 62
    assert len(store.calls) <= 25
    letters = (await w.letters.list()).letters
    assert [letter.failure.failed_stores for letter in letters] == [("scripted",)] * 2
    assert letters[0].failure.error == "scripted: refused"


async def test_an_error_outside_the_contract_is_permanent_and_bisected(world: Any, good: Any, scripted: Any) -> None:
    store = scripted()
    store.script.extend([KeyError("bug"), None, KeyError("bug")])
    w = await world(store)
    found = await w.outcomes(good(1), good(2))
    assert sorted(found) == [DEAD, STORED]
    [letter] = (await w.letters.list()).letters
    assert "KeyError: 'bug'" in letter.failure.error


async def test_one_event_twice_in_a_batch_is_written_once(world: Any, good: Any, scripted: Any) -> None:
    store = scripted()
    w = await world(store)
    spelled_otherwise = json.dumps(json.loads(good(1)), indent=1).encode()
    assert await w.outcomes(good(1), good(1), spelled_otherwise) == [STORED] * 3
    assert store.calls == [1]


async def test_what_was_not_committed_is_read_again_after_a_restart(world: Any, good: Any, scripted: Any) -> None:
    store = scripted()
    first = await world(store)
    assert await first.outcomes(good(1)) == [STORED]
    assert await first.pipeline.drain(timeout_s=10)
    await first.pipeline.stop()
    await first.log.append("t", [Record(good(2))])
    second = await world(store, log=first.log)
    await second.until(lambda: len(store.documents) == 2)
    assert store.calls == [1, 1]


@pytest.mark.parametrize("ahead", [True, False])
async def test_a_backlog_is_written_in_order_prepared_ahead_or_not(
    world: Any, good: Any, scripted: Any, ahead: bool
) -> None:
    store = scripted()
    w = await world(store, start=False, max_records=10, prepare_ahead=ahead)
    await w.log.append("t", [Record(good(n)) for n in range(95)])
    await w.start()
    assert {s.outcome for s in await w.pipeline.wait_settled(range(95))} == {STORED}
    assert sum(store.calls) == 95
    assert [json.loads(raw)["job"]["name"] for raw in store.documents.values()] == [f"job-{n}" for n in range(95)]
    assert await w.pipeline.drain(timeout_s=10)
    assert w.pipeline.lag()["t"] == 0


@pytest.mark.parametrize("served", [True, False])
async def test_the_next_batch_is_prepared_while_a_server_writes(
    world: Any, good: Any, scripted: Any, served: bool
) -> None:
    decoded: list[bytes] = []
    during_first_write: list[int] = []

    class Watching(scripted):  # type: ignore[misc]
        remote = served

        async def write(self, batch: Any) -> None:
            if not during_first_write:
                for _ in range(200):
                    await asyncio.sleep(0)
                during_first_write.append(len(decoded))
            await super().write(batch)

    def watched(raw: bytes) -> Any:
        decoded.append(raw)
        return decode(raw)

    w = await world(Watching(), start=False, max_records=10, prepare_ahead=None, decode=watched)
    await w.log.append("t", [Record(good(n)) for n in range(30)])
    await w.start()
    assert {s.outcome for s in await w.pipeline.wait_settled(range(30))} == {STORED}
    assert during_first_write == [20 if served else 10]


async def test_nobody_waits_for_ever(world: Any, good: Any) -> None:
    w = await world(start=False)
    [settlement] = await w.send(good(1), timeout_s=0.01)
    assert settlement.outcome is Outcome.PENDING
    assert not (await w.pipeline.drain(timeout_s=0.01))


async def test_stop_breaks_off_a_store_that_hangs(world: Any, good: Any, scripted: Any) -> None:
    class Hanging(scripted):  # type: ignore[misc]
        async def write(self, batch: Any) -> None:
            await asyncio.sleep(3600)

    w = await world(Hanging())
    [settlement] = await w.send(good(1), timeout_s=0.05)
    assert settlement.outcome is Outcome.PENDING
    await w.pipeline.stop(deadline_s=0.05)
    consumer = w.log.consumer("headwater", ["t"])
    assert await consumer.lag() == 1
    await consumer.close()
