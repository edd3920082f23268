"""What every log promises, run over the local log, the memory log and Kafka."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from headwater.shared.clock import ManualClock
from headwater.shared.errors import ConfigurationError, LogFullError
from headwater.shared.log import Log, Record, StoredRecord, TopicPartition
from headwater.shared.log.local import LocalLog
from headwater.shared.log.memory import MemoryLog

MakeLog = Callable[..., Log]
TOPIC = "platform.lineage.events"
NOT_KAFKA = {
    "test_a_full_log_refuses_until_its_groups_catch_up": "a topic's bound is the broker's retention",
    "test_one_member_of_a_group_reads_and_the_next_takes_over": "Kafka may move a partition as soon as a member joins",
}
"""What the harness leaves out, and why."""


@pytest.fixture(params=["local", "memory", "kafka"])
def make_log(request: pytest.FixtureRequest, tmp_path: Path) -> MakeLog:
    if request.param == "kafka":
        if reason := NOT_KAFKA.get(request.function.__name__):
            pytest.skip(reason)
        return request.getfixturevalue("make_kafka_log")

    def make(max_bytes: int = 1 << 30) -> Log:
        if request.param == "memory":
            return MemoryLog(max_bytes=max_bytes, clock=ManualClock())
        return LocalLog(tmp_path / "log", max_bytes=max_bytes, clock=ManualClock(), fsync=False)

    return make


@pytest.fixture
async def log(make_log: MakeLog) -> AsyncIterator[Log]:
    log = make_log()
    await log.open()
    await log.open()
    yield log
    await log.close()
    await log.close()


def records(*numbers: int) -> list[Record]:
    return [Record(b"%d" % number) for number in numbers]


def values(stored: list[StoredRecord]) -> list[int]:
    return [int(record.value) for record in stored]


def at(offset: int, topic: str = TOPIC) -> dict[TopicPartition, int]:
    return {TopicPartition(topic, 0): offset}


async def batch(
    consumer: Any, max_records: int = 1000, max_bytes: int = 1 << 30, *, empty: bool = False
) -> list[StoredRecord]:
    """The next one, for which a log across a network is given time; ``empty``: none is expected."""
    timeout_s = getattr(consumer, "look_s" if empty else "patience_s", 0)
    return await consumer.next_batch(max_records=max_records, max_bytes=max_bytes, timeout_s=timeout_s)


async def test_append_gives_dense_offsets_and_read_gives_all_back(log: Log) -> None:
    assert await log.append(TOPIC, records(0, 1)) == [0, 1]
    assert await log.append(TOPIC, []) == []
    full = Record(b"\x00\xff", b"key", (("h", b"1"), ("h", b""), ("é", b"\xff")))
    assert await log.append(TOPIC, [full, Record(b"", b"")]) == [2, 3]
    stored = await log.read(TOPIC, 0, max_records=10)
    assert [r[:3] for r in stored] == [(TOPIC, 0, offset) for offset in range(4)]
    sent_ms = [r.timestamp_ms for r in stored]
    assert sent_ms == sorted(sent_ms) if hasattr(log, "prefix") else sent_ms == [1_767_225_600_000] * 4
    assert (stored[2].value, stored[2].key, stored[2].headers) == full
    assert stored[2].header("h") == b""
    assert (stored[3].value, stored[3].key, stored[0].key) == (b"", b"", None)
    assert await log.size(TOPIC) == (0, 4)


async def test_read_pages_back_and_forth(log: Log) -> None:
    await log.append(TOPIC, records(*range(20)))
    assert values(await log.read(TOPIC, 5, max_records=3)) == [5, 6, 7]
    assert values(await log.read(TOPIC, 8, max_records=3)) == [8, 9, 10]
    assert values(await log.read(TOPIC, 2, max_records=2)) == [2, 3]
    assert values(await log.read(TOPIC, 18, max_records=10)) == [18, 19]
    assert await log.read(TOPIC, 20, max_records=10) == []
    assert await log.read(TOPIC, 99, max_records=10) == []
    assert values(await log.read(TOPIC, 0, max_records=1)) == [0]


async def test_a_topic_that_does_not_exist_is_empty(log: Log) -> None:
    assert await log.size("nowhere") == (0, 0)
    assert await log.read("nowhere", 0, max_records=1) == []


async def test_consumer_reads_in_order_and_commits_nothing_by_reading(log: Log) -> None:
    await log.append(TOPIC, records(*range(10)))
    consumer = log.consumer("g", [TOPIC])
    assert values(await batch(consumer, 4)) == [0, 1, 2, 3]
    assert values(await batch(consumer, 100)) == [4, 5, 6, 7, 8, 9]
    assert await batch(consumer, empty=True) == []
    assert await consumer.lag() == 10
    await consumer.seek_to_committed()
    assert values(await batch(consumer)) == list(range(10))
    await consumer.commit(at(7))
    assert await consumer.lag() == 3
    await consumer.seek_to_committed()
    assert values(await batch(consumer)) == [7, 8, 9]
    await consumer.close()


async def test_commit_is_kept_for_the_next_member_and_may_go_back(log: Log) -> None:
    await log.append(TOPIC, records(*range(10)))
    first = log.consumer("g", [TOPIC])
    await batch(first)
    await first.commit(at(6))
    await first.commit(at(6))
    await first.close()
    await first.close()
    second = log.consumer("g", [TOPIC])
    assert values(await batch(second)) == [6, 7, 8, 9]
    await second.commit(at(2))
    await second.close()
    third = log.consumer("g", [TOPIC])
    assert values(await batch(third)) == list(range(2, 10))
    await third.close()
    other = log.consumer("other group/é", [TOPIC])
    assert values(await batch(other)) == list(range(10))
    await other.close()


async def test_max_bytes_gives_at_least_one(log: Log) -> None:
    await log.append(TOPIC, [Record(b"x" * 100), Record(b"y" * 100), Record(b"z" * 100)])
    consumer = log.consumer("g", [TOPIC])
    assert [r.value[:1] for r in await batch(consumer, max_bytes=1)] == [b"x"]
    assert [r.value[:1] for r in await batch(consumer, max_bytes=200)] == [b"y", b"z"]
    await consumer.close()


async def test_a_waiting_consumer_wakes(log: Log) -> None:
    consumer = log.consumer("g", [TOPIC])
    waiting = asyncio.create_task(consumer.next_batch(max_records=10, max_bytes=1000, timeout_s=30))
    await asyncio.sleep(0)
    await log.append(TOPIC, records(1))
    assert values(await waiting) == [1]
    await consumer.close()


async def test_a_waiting_consumer_returns_empty_after_its_time(log: Log) -> None:
    consumer = log.consumer("g", [TOPIC])
    assert await consumer.next_batch(max_records=10, max_bytes=1000, timeout_s=0.03) == []
    await consumer.close()


async def test_a_cancelled_wait_loses_nothing(log: Log) -> None:
    consumer = log.consumer("g", [TOPIC])
    waiting = asyncio.create_task(consumer.next_batch(max_records=10, max_bytes=1000, timeout_s=30))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await log.append(TOPIC, records(1, 2))
    assert values(await batch(consumer)) == [1, 2]
    await consumer.close()


async def test_several_topics_none_starves(log: Log) -> None:
    consumer = log.consumer("g", ["a", "b", "later"])
    await log.append("a", records(*range(100)))
    await log.append("b", records(7))
    seen: list[tuple[str, int]] = []
    for _ in range(3):
        seen += [(r.topic, r.offset) for r in await batch(consumer, 5)]
    assert ("b", 0) in seen
    assert await consumer.lag() == 101
    await log.append("later", records(1))
    everything = seen
    while len(everything) < 102:
        everything += [(r.topic, r.offset) for r in await batch(consumer, 50)]
    assert await batch(consumer, 50, empty=True) == []
    assert sorted(everything) == [*(("a", n) for n in range(100)), ("b", 0), ("later", 0)]
    await consumer.commit(at(100, "a") | at(1, "b") | at(1, "later") | at(5, "not ours"))
    assert await consumer.lag() == 0
    await consumer.close()


async def test_one_member_of_a_group_reads_and_the_next_takes_over(log: Log) -> None:
    await log.append(TOPIC, records(1, 2))
    first, second = log.consumer("g", [TOPIC]), log.consumer("g", [TOPIC])
    assert values(await batch(first)) == [1, 2]
    assert await batch(second) == []
    await first.commit(at(1))
    await first.close()
    assert values(await batch(second)) == [2]
    await second.close()


async def test_many_appenders_at_once(log: Log) -> None:
    async def append(worker: int) -> list[int]:
        return [(await log.append(TOPIC, [Record(b"%d" % (worker * 100 + n))]))[0] for n in range(50)]

    offsets = await asyncio.gather(*(append(worker) for worker in range(8)))
    assert sorted(chain.from_iterable(offsets)) == list(range(400))
    stored = {r.offset: int(r.value) for r in await log.read(TOPIC, 0, max_records=1000)}
    for worker, own in enumerate(offsets):
        assert own == sorted(own)
        assert [stored[offset] for offset in own] == [worker * 100 + n for n in range(50)]


async def append_until_full(log: Log, record: Record) -> None:
    for _ in range(100):
        await log.append(TOPIC, [record])


async def test_a_full_log_refuses_until_its_groups_catch_up(make_log: MakeLog) -> None:
    log = make_log(max_bytes=100_000)
    await log.open()
    consumer = log.consumer("g", [TOPIC])
    big = Record(b"x" * 9_000)
    with pytest.raises(LogFullError, match=TOPIC):
        await append_until_full(log, big)
    count = (await log.size(TOPIC))[1]
    assert 8 <= count <= 11
    stored = await batch(consumer)
    assert len(stored) == count
    with pytest.raises(LogFullError):
        await log.append(TOPIC, [big])
    await consumer.commit(at(count))
    assert await log.append(TOPIC, [big]) == [count]
    assert [r.offset for r in await batch(consumer)] == [count]
    first, following = await log.size(TOPIC)
    assert 0 < first <= count
    assert following == count + 1
    assert (await log.read(TOPIC, 0, max_records=1))[0].offset == first
    await consumer.close()
    await log.close()


async def test_delete_before(log: Log) -> None:
    await log.append(TOPIC, records(*range(10)))
    assert await log.delete_before(TOPIC, 10) == 10  # type: ignore[attr-defined]
    assert await log.size(TOPIC) == (10, 10)
    assert await log.read(TOPIC, 0, max_records=10) == []
    assert await log.append(TOPIC, records(10)) == [10]
    assert values(await log.read(TOPIC, 0, max_records=10)) == [10]
    if not hasattr(log, "prefix"):
        assert log.topics() == [TOPIC]  # type: ignore[attr-defined]


@pytest.mark.parametrize("topic", ["", ".", "..", "a/b", "../x", "a b", "é", "x" * 250])
async def test_topics_follow_kafkas_rule(log: Log, topic: str) -> None:
    with pytest.raises(ConfigurationError, match="topic"):
        await log.append(topic, records(1))


async def test_memory_log_can_be_told_to_fail() -> None:
    log = MemoryLog()
    log.fail_next(LogFullError("full"), OSError("odd"))
    with pytest.raises(LogFullError):
        await log.append(TOPIC, records(1))
    with pytest.raises(OSError, match="odd"):
        await log.append(TOPIC, records(1))
    assert await log.append(TOPIC, records(1)) == [0]
