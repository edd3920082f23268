"""What only the local log does: surviving a restart, gathering appends, refusing wrong directories."""

from __future__ import annotations

import asyncio
import os
from itertools import chain
from pathlib import Path

import pytest

from headwater.shared.errors import ConfigurationError, LogFullError, PermanentError
from headwater.shared.log import Record, TopicPartition
from headwater.shared.log.local import LocalLog
from headwater.shared.log.segments import SegmentLog


async def test_restart_keeps_records_and_commits(tmp_path: Path) -> None:
    log = LocalLog(tmp_path / "log")
    await log.open()
    await log.append("t", [Record(b"%d" % n) for n in range(5)])
    consumer = log.consumer("g", ["t"])
    assert len(await consumer.next_batch(max_records=3, max_bytes=1000, timeout_s=0)) == 3
    await consumer.commit({TopicPartition("t", 0): 2})
    await log.close()

    log = LocalLog(tmp_path / "log")
    await log.open()
    assert log.topics() == ["t"]
    consumer = log.consumer("g", ["t"])
    assert await consumer.lag() == 3
    records = await consumer.next_batch(max_records=10, max_bytes=1000, timeout_s=0)
    assert [r.value for r in records] == [b"2", b"3", b"4"]
    assert await log.append("t", [Record(b"5")]) == [5]
    await log.close()


async def test_appends_of_another_process_are_seen(tmp_path: Path) -> None:
    log = LocalLog(tmp_path)
    consumer = log.consumer("g", ["t"])
    waiting = asyncio.create_task(consumer.next_batch(max_records=10, max_bytes=1000, timeout_s=30))
    await asyncio.sleep(0.01)
    other = SegmentLog(tmp_path / "t")  # as a producer's file transport does
    other.append([Record(b"x")])
    other.close()
    assert [r.value for r in await waiting] == [b"x"]
    await log.close()


async def test_concurrent_appends_share_one_write(tmp_path: Path) -> None:
    log = LocalLog(tmp_path)
    await log.append("t", [Record(b"first")])
    offsets = await asyncio.gather(*(log.append("t", [Record(b"x")] * 2) for _ in range(50)))
    assert sorted(chain.from_iterable(offsets)) == list(range(1, 101))
    stamps = {r.timestamp_ms for r in await log.read("t", 1, max_records=100)}
    assert len(stamps) <= 2  # one write has one time
    await log.close()


async def test_one_append_that_is_too_large_does_not_fail_the_others(tmp_path: Path) -> None:
    log = LocalLog(tmp_path, max_bytes=10_000, fsync=False)
    results = await asyncio.gather(
        log.append("t", [Record(b"a")]),
        log.append("t", [Record(b"b" * 20_000)]),
        log.append("t", [Record(b"c" * 6_000), Record(b"c" * 6_000)]),
        log.append("t", [Record(b"d")]),
        return_exceptions=True,
    )
    assert results[0] == [0]
    assert isinstance(results[1], PermanentError)
    assert isinstance(results[2], LogFullError)
    assert results[3] == [1]
    await log.close()


async def test_a_cancelled_append_goes_on(tmp_path: Path) -> None:
    log = LocalLog(tmp_path)
    appending = asyncio.create_task(log.append("t", [Record(b"x")]))
    await asyncio.sleep(0)
    appending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await appending
    assert await log.append("t", [Record(b"y")]) == [1]
    await log.close()


def test_a_closed_loop_leaves_nothing_behind(tmp_path: Path) -> None:
    log = LocalLog(tmp_path, fsync=False)

    async def once() -> list[int]:
        abandoned = asyncio.create_task(log.append("t", [Record(b"abandoned")]))
        await asyncio.sleep(0)
        offsets = await log.append("t", [Record(b"x")])
        del abandoned
        return offsets

    last = -1
    for _ in range(20):
        (offset,) = asyncio.run(once())
        assert offset > last
        last = offset
    asyncio.run(log.close())


async def test_expire_and_delete(tmp_path: Path) -> None:
    log = LocalLog(tmp_path, segment_bytes=1_000, retention_s=-10, fsync=False)
    for _ in range(5):
        await log.append("t", [Record(b"x" * 900)])
    assert await log.expire() == 0
    consumer = log.consumer("g", ["t"])
    await consumer.next_batch(max_records=1, max_bytes=1, timeout_s=0)
    await consumer.commit({TopicPartition("t", 0): 3})
    assert await log.expire() == 3
    assert await log.size("t") == (3, 5)
    assert await log.delete_before("t", 5) == 5
    assert log.size_bytes("t") == 0
    await log.close()


async def test_directories_that_are_no_topics_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "someone else's").mkdir()
    (tmp_path / "plain").mkdir()
    log = LocalLog(tmp_path)
    await log.open()
    assert log.topics() == []
    assert os.listdir(tmp_path / "plain") == []
    await log.close()


async def test_a_root_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    log = LocalLog(tmp_path / "file" / "log")
    with pytest.raises(ConfigurationError, match="log directory"):
        await log.open()
    await log.close()


async def test_closing_leaves_no_descriptor(tmp_path: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(5):
        log = LocalLog(tmp_path, fsync=False)
        await log.open()
        await log.append("t", [Record(b"x")])
        consumer = log.consumer("g", ["t"])
        await consumer.next_batch(max_records=1, max_bytes=1, timeout_s=0)
        await log.read("t", 0, max_records=1)
        await log.close()
    assert len(os.listdir("/proc/self/fd")) == before
