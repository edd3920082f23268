"""The life of one consumer: read, prepare, deliver in order, commit what is settled."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence

from headwater.collector.ledger import Ledger
from headwater.collector.pipeline.delivery import Delivery
from headwater.collector.pipeline.divert import StoppedError
from headwater.collector.pipeline.letters import opened
from headwater.collector.pipeline.linger import Linger
from headwater.collector.pipeline.outcome import Settlement
from headwater.collector.pipeline.parts import Parts
from headwater.collector.pipeline.prepare import Prepared
from headwater.collector.pipeline.progress import Progress
from headwater.collector.pipeline.shares import Shares
from headwater.shared.errors import TransientError
from headwater.shared.log import LogConsumer, StoredRecord, TopicPartition

_LAG_EVERY_S = 2.0
_LOOK_S = 0.05


class Reading:
    """A batch is what has arrived while the last was written and in a short ``Linger`` after it. With a backlog, and
    if ``BatchPolicy.prepare_ahead`` says so, the next one is prepared while the stores write the present one."""

    def __init__(
        self,
        parts: Parts,
        consumer: LogConsumer,
        delivery: Delivery,
        progress: Progress,
        shares: Shares,
        *,
        name: str,
        topic: str,
        rung: int | None,
        on_settled: Callable[[int | None, list[Settlement]], None],
        linger: Linger,
    ) -> None:
        """``on_settled`` is told the position in partition 0, None where that is not read here, and what was not
        stored."""
        self._parts, self._consumer, self._delivery, self._progress = parts, consumer, delivery, progress
        self._name, self._topic, self._rung, self._on_settled = name, topic, rung, on_settled
        self._linger, self._shares = linger, shares
        self._ledger = Ledger()
        self._committed: dict[TopicPartition, int] = {}
        self._committed_at_s = self._sampled_at_s = parts.clock.monotonic_s()
        self._writing: asyncio.Task[None] | None = None
        self._waits_for_due = False

    async def run(self) -> None:
        """Until told to stop. Raises what the log raises, and StoppedError where a batch had to be left unsettled."""
        try:
            while not self._parts.pace.stopping:
                await self._turn()
            await self._finish_writing()
        finally:
            if self._writing is not None:  # cancelled or failed in between: its offsets stay uncommitted
                self._writing.cancel()
                await asyncio.gather(self._writing, return_exceptions=True)
            await self._commit(force=True)

    async def revoked(self, partitions: Collection[TopicPartition]) -> None:
        """Before partitions go to another collector: waits for what is in hand of them, for a bounded time and while it
        moves on at all, commits what is settled, and forgets them. A batch that settles later commits nothing there."""
        try:
            deadline_s = self._parts.clock.monotonic_s() + self._parts.batches.revoke_wait_s
            while self._ledger.unsettled(partitions) and not (self._waits_for_due or self._delivery.trouble):
                if self._parts.clock.monotonic_s() >= deadline_s:
                    break
                await asyncio.sleep(_LOOK_S)
            await self._commit(force=True)
        finally:
            for partition in partitions:
                self._ledger.revoke(partition)
                self._committed.pop(partition, None)

    async def _turn(self) -> None:
        batches = self._parts.batches
        dirty = self._ledger.committable() != self._committed
        batch = await self._unless_stopped(
            self._next_batch(timeout_s=batches.commit_every_s if dirty else batches.poll_s)
        )
        if not batch:
            await self._finish_writing()
            await self._commit(force=True)
            await self._sample_lag(at_once=self._progress.awaited > 0)
            await self._parts.writes.stores.probe()  # or nobody would notice, while nothing comes in, that one is back
            return
        await self._linger.gather(batch, lambda: self._next_batch(timeout_s=0))
        if self._rung is not None:
            await self._retry(batch)
        elif self._prepares_ahead(batch):
            prepared = await self._parts.preparer.prepare(batch)
            await self._finish_writing()
            self._writing = asyncio.create_task(self._deliver(prepared))
        else:
            await self._finish_writing()
            await self._deliver(await self._parts.preparer.prepare(batch))
        await self._commit(force=False)
        await self._sample_lag()

    async def _next_batch(self, *, timeout_s: float) -> list[StoredRecord]:
        batches = self._parts.batches
        batch = await self._consumer.next_batch(
            max_records=batches.max_records, max_bytes=batches.max_bytes, timeout_s=timeout_s
        )
        self._shares.look(self._consumer)
        self._track(batch)  # here, with no turn of the loop in between in which the partition could be revoked
        return batch

    def _prepares_ahead(self, batch: list[StoredRecord]) -> bool:
        batches = self._parts.batches
        return bool(batches.prepare_ahead) and (
            2 * len(batch) >= batches.max_records
            or (len(batch) > 1 and 2 * sum(len(record.value) for record in batch) >= batches.max_bytes)
        )

    def _track(self, batch: list[StoredRecord]) -> None:
        if batch:
            self._parts.metrics.received(self._topic, len(batch))
        for partition, offsets in _by_partition(batch).items():
            self._ledger.track(partition, offsets)

    async def _retry(self, batch: list[StoredRecord]) -> None:
        batch.sort(key=lambda record: opened(record).not_before_ms or 0)  # several partitions are each in order alone
        while batch:
            due = await self._due(batch)
            batch = batch[len(due) :]
            held = [record for record in due if self._ledger.holds(TopicPartition(*record[:2]), record.offset)]
            if held:  # the others were revoked while they waited, and are read again by whoever has them now
                await self._deliver(await self._parts.preparer.prepare(held))
                await self._commit(force=True)

    async def _due(self, batch: list[StoredRecord]) -> list[StoredRecord]:
        """As much from the head of the batch as may be tried now; waits for the first."""
        assert self._rung is not None
        delay_ms = int(self._parts.retry.delay_s(self._rung) * 1000)
        while True:
            now_ms, wait_ms, count = self._parts.now_ms(), 0, 0
            for record in batch:
                wait_ms = (opened(record).not_before_ms or 0) - now_ms
                # More than the rung's delay can only mean that a clock or the policy was changed: due now.
                if 0 < wait_ms <= delay_ms:
                    break
                count += 1
            if count:
                return batch[:count]
            self._waits_for_due = True
            try:
                if not await self._parts.pace.pause(wait_ms / 1000):
                    raise StoppedError
            finally:
                self._waits_for_due = False

    async def _deliver(self, prepared: Prepared) -> None:
        others = await self._delivery.deliver(prepared)
        for partition, offsets in _by_partition(prepared.records).items():
            self._ledger.settle(partition, offsets)
        self._on_settled(self._ledger.committable().get(TopicPartition(self._topic, 0)), others)
        age_ms = self._parts.now_ms() - min(record.timestamp_ms for record in prepared.records)
        self._parts.metrics.batch(self._name, age_ms / 1000)

    async def _finish_writing(self) -> None:
        if self._writing is not None:
            await self._writing
            self._writing = None

    async def _commit(self, *, force: bool) -> None:
        """Commits what is settled. A commit that fails is made up for by the next one."""
        offsets, now_s = self._ledger.committable(), self._parts.clock.monotonic_s()
        if offsets == self._committed:
            return
        if force or now_s - self._committed_at_s >= self._parts.batches.commit_every_s:
            self._committed_at_s = now_s
            try:
                await self._consumer.commit(offsets)
            except TransientError:
                return
            self._committed = offsets

    async def _sample_lag(self, *, at_once: bool = False) -> None:
        now_s = self._parts.clock.monotonic_s()
        if not at_once and self._progress.lag is not None and now_s - self._sampled_at_s < _LAG_EVERY_S:
            return
        self._sampled_at_s = now_s
        await self._progress.sample(self._consumer)

    async def _unless_stopped(self, reading: Awaitable[list[StoredRecord]]) -> list[StoredRecord]:
        """What was read; nothing if told to stop meanwhile (and what was read then is read again next time)."""
        task = asyncio.ensure_future(reading)
        try:
            await asyncio.wait((task, self._parts.pace.stopped()), return_when=asyncio.FIRST_COMPLETED)
            return task.result() if task.done() else []
        finally:
            if not task.done():
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)


def _by_partition(records: Sequence[StoredRecord]) -> dict[TopicPartition, list[int]]:
    found: dict[TopicPartition, list[int]] = {}
    last: tuple[str, int] | None = None
    offsets: list[int] = []
    for record in records:
        place = record[:2]
        if place != last:
            last = place
            offsets = found.setdefault(TopicPartition(*place), [])
        offsets.append(record.offset)
    return found
