"""Whatever a library does, a lane goes on; one that has ended all the same is seen."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from structlog.testing import capture_logs

from headwater.collector.metrics import PARTITIONS, RESTARTS
from headwater.collector.pipeline import Outcome
from headwater.shared.clock import ManualClock
from headwater.shared.errors import TransientError
from headwater.shared.log import StoredRecord, TopicPartition
from headwater.shared.log.memory import MemoryLog


class SharedLog(MemoryLog):
    """Its consumers say which partitions they have, and fail as told."""

    def __init__(self) -> None:
        super().__init__(clock=ManualClock())
        self.errors: list[BaseException] = []
        self.partitions: list[int] = [0]

    def consumer(self, group: str, topics: Sequence[str], **more: Any) -> Any:
        return SharingConsumer(self, super().consumer(group, topics), topics[0])


class SharingConsumer:
    """Implements LogConsumer and SharesPartitions."""

    def __init__(self, log: SharedLog, inner: Any, topic: str) -> None:
        self._log, self._inner, self._topic = log, inner, topic

    async def next_batch(self, **how: Any) -> list[StoredRecord]:
        if self._topic == "t" and self._log.errors:
            raise self._log.errors.pop()
        batch: list[StoredRecord] = await self._inner.next_batch(**how)
        return batch

    def assigned(self) -> Collection[TopicPartition]:
        return {TopicPartition(self._topic, number) for number in self._log.partitions}

    async def commit(self, offsets: Mapping[TopicPartition, int]) -> None:
        await self._inner.commit(offsets)

    async def lag(self) -> int:
        lag: int = await self._inner.lag()
        return lag

    async def seek_to_committed(self) -> None:
        await self._inner.seek_to_committed()

    async def close(self) -> None:
        await self._inner.close()


async def test_a_cancellation_that_nobody_asked_for_ends_no_lane(world: Any, good: Any) -> None:
    log = SharedLog()
    w = await world(log=log)
    assert await w.outcomes(good(1)) == [Outcome.STORED]
    log.errors.append(asyncio.CancelledError())
    with capture_logs() as lines:
        await w.until(lambda: w.metrics.value(RESTARTS, lane="main") == 1)
        assert await w.outcomes(good(2)) == [Outcome.STORED]
    assert [line["lane"] for line in lines if line["event"] == "lane_restarts"] == ["main"]
    assert w.pipeline.health().ready


async def test_a_store_that_cancels_whoever_calls_it_is_tried_again(world: Any, good: Any, scripted: Any) -> None:
    class Lost(scripted):  # type: ignore[misc]
        """Its driver loses its way in the first writes and pings."""

        def __init__(self) -> None:
            super().__init__()
            self.lost = 12

        async def write(self, batch: Sequence[Any]) -> None:
            await self._lose()
            await super().write(batch)

        async def ping(self) -> None:
            await self._lose()
            await super().ping()

        async def _lose(self) -> None:
            if self.lost:
                self.lost -= 1
                task = asyncio.current_task()
                assert task is not None
                task.cancel()
                await asyncio.sleep(0)

    store = Lost()
    w = await world(store)
    await w.send(good(1), good(2))
    await w.until(lambda: w.metrics.value("headwater_store_events_total", store="scripted") == 2)
    await w.until(lambda: w.pipeline.health().ready)
    assert store.lost == 0


async def test_a_lane_that_has_ended_is_not_ready(world: Any) -> None:
    w = await world()
    assert w.pipeline.health().ready
    [lane] = [task for task in asyncio.all_tasks() if task.get_name() == "headwater retry.1"]
    lane.cancel()
    await asyncio.wait([lane])
    health = w.pipeline.health()
    assert (health.ready, health.checks["lane retry.1"], health.checks["lane main"]) == (False, "ended", "ok")


async def test_the_partitions_of_a_lane_are_counted_and_told_when_they_change(world: Any, good: Any) -> None:
    log = SharedLog()
    with capture_logs() as lines:
        w = await world(log=log)
        await w.send(good(1))
        assert w.metrics.value(PARTITIONS, lane="main") == 1
        log.partitions = []
        await w.until(lambda: w.metrics.value(PARTITIONS, lane="main") == 0)
        w.clock.advance(60.0)
        log.partitions = [2, 0]
        await w.until(lambda: w.metrics.value(PARTITIONS, lane="main") == 2)
    told = [line["partitions"] for line in lines if line["event"] == "partitions" and line["lane"] == "main"]
    assert told == [[0], [0, 2]], "at most one line a minute"


async def test_an_error_of_the_log_restarts_a_lane(world: Any, good: Any) -> None:
    log = SharedLog()
    w = await world(log=log)
    log.errors.append(TransientError("nothing came for 120 s"))
    await w.until(lambda: w.metrics.value(RESTARTS, lane="main") == 1)
    assert await w.outcomes(good(1)) == [Outcome.STORED]
