"""Listing, showing, replaying and purging dead letters."""

from __future__ import annotations

from typing import Any

import pytest

from headwater.collector.deadletters import DeadLetters, Filters
from headwater.shared.errors import TransientError
from headwater.shared.log import Record
from headwater.shared.log.local import LocalLog
from headwater.shared.log.memory import MemoryLog


async def _refused(world: Any, good: Any, scripted: Any, count: int) -> tuple[Any, Any]:
    store = scripted()
    store.refuses = lambda item: True
    w = await world(store)
    await w.send(*[good(n) for n in range(count)], b"poison")
    store.refuses = lambda item: False
    return w, store


async def test_filters_and_pages(world: Any, good: Any, scripted: Any) -> None:
    w, _ = await _refused(world, good, scripted, 4)
    letters = w.letters
    assert await letters.count() == 5
    [poison] = (await letters.list(Filters(reason="not_json"))).letters
    assert poison.envelope.value == b"poison"
    assert await letters.count(Filters(store="scripted")) == 4
    assert await letters.count(Filters(store="other")) == 0
    assert await letters.count(Filters(since_ms=int(w.clock.now_s() * 1000))) == 5
    assert await letters.count(Filters(since_ms=int(w.clock.now_s() * 1000) + 1)) == 0
    page = await letters.list(limit=2)
    assert (len(page.letters), page.truncated) == (2, True)
    rest = await letters.list(limit=3, after=page.letters[-1].id)
    assert (len(rest.letters), rest.truncated) == (3, False)
    told = rest.letters[0].as_dict()
    assert told["state"] == "open"
    assert told["origin"]["topic"] == "t"
    assert told["key"] == "key"
    assert told["headers"] == [["h", "1"]]
    assert (await letters.show(poison.id)) == poison
    assert await letters.show(999) is None


async def test_replay_restores_the_record_byte_for_byte_once(world: Any, good: Any, scripted: Any) -> None:
    w, store = await _refused(world, good, scripted, 3)
    before = (await w.log.size("t"))[1]
    seen: list[tuple[int, int]] = []
    refused = Filters(reason="refused")
    assert await w.letters.replay(refused, dry_run=True) == 3
    assert (await w.log.size("t"))[1] == before
    assert await w.letters.replay(refused, progress=lambda done, total: seen.append((done, total))) == 3
    assert seen[-1] == (3, 3)
    again = await w.log.read("t", before, max_records=10)
    assert [record.value for record in again] == [good(n) for n in range(3)]
    assert {(record.key, record.headers) for record in again} == {(b"key", (("h", b"1"),))}
    await w.until(lambda: len(store.documents) == 3)
    assert await w.letters.replay(refused) == 0
    assert await w.letters.count(Filters(state="replayed")) == 3
    letter = await w.letters.show(1)
    assert letter is not None
    assert letter.state == "replayed"
    assert await w.letters.count() == 1


async def test_a_replayed_letter_that_fails_again_is_a_new_letter(world: Any, good: Any, scripted: Any) -> None:
    w, _ = await _refused(world, good, scripted, 0)
    assert await w.letters.replay() == 1
    await w.until(lambda: w.metrics.value("headwater_events_dead_total", reason="not_json") == 2)
    [letter] = (await w.letters.list()).letters
    assert letter.id > 0
    assert letter.envelope.value == b"poison"
    assert letter.envelope.headers == (("h", b"1"),)


async def test_a_replay_that_breaks_off_can_be_repeated(world: Any, good: Any, scripted: Any) -> None:
    w, store = await _refused(world, good, scripted, 2)
    w.log.fail_next(TransientError("gone"))
    with pytest.raises(TransientError):
        await w.letters.replay(Filters(reason="refused"))
    assert await w.letters.replay(Filters(reason="refused")) == 2
    await w.until(lambda: len(store.documents) == 2)


async def test_purge_closes_letters(world: Any, good: Any, scripted: Any) -> None:
    w, _ = await _refused(world, good, scripted, 2)
    assert await w.letters.purge(Filters(ids=frozenset((0, 2)))) == 2
    [letter] = (await w.letters.list()).letters
    assert letter.id == 1
    assert await w.letters.count(Filters(state="purged")) == 2
    assert await w.letters.purge(Filters(ids=frozenset((0, 2)))) == 0


async def test_headers_that_look_like_ours_stay_the_records_own() -> None:
    log = MemoryLog()
    own = (("headwater-own-headers", b"0"), ("headwater-origin", b"x/0/0"), ("headwater-resolution", b"purged"))
    await log.append("t", [Record(b"", None, own)])
    from headwater.collector.pipeline.letters import Failure, fresh

    [record] = await log.read("t", 0, max_records=1)
    await log.append("t.dlq", [fresh(record).sealed(Failure("r", "decode", "e"), now_ms=1)])
    letters = DeadLetters(log, "t")
    [letter] = (await letters.list()).letters
    assert letter.envelope.original() == Record(b"", None, own)
    assert (letter.envelope.topic, letter.envelope.offset) == ("t", 0)


async def test_what_somebody_else_put_there_is_a_letter_too() -> None:
    log = MemoryLog()
    await log.append("t.dlq", [Record(b"bare")])
    letters = DeadLetters(log, "t")
    [letter] = (await letters.list()).letters
    assert (letter.failure.reason, letter.envelope.value) == ("unknown", b"bare")
    assert await letters.replay() == 1
    [record] = await log.read("t", 0, max_records=9)
    assert record.value == b"bare"


async def test_on_files_open_letters_hold_their_segments_and_resolved_ones_do_not(tmp_path: Any) -> None:
    log = LocalLog(tmp_path, max_bytes=4 * 64 * 1024, segment_bytes=16 * 1024)
    await log.open()
    letters = DeadLetters(log, "t")
    try:
        for _ in range(12):
            await log.append("t.dlq", [Record(bytes(16 * 1024))])
        assert await letters.count() == 12
        assert await letters.purge() == 12
        for _ in range(20):
            await log.append("t.dlq", [Record(bytes(16 * 1024))])
            await letters.purge()
        assert await letters.count(Filters(state=None)) < 20
    finally:
        await log.close()
