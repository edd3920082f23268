"""A lane: the consumer loop of one topic, kept going."""

from __future__ import annotations

import asyncio
from collections.abc import Collection

from headwater.collector.pipeline.delivery import Delivery
from headwater.collector.pipeline.divert import StoppedError
from headwater.collector.pipeline.linger import Linger
from headwater.collector.pipeline.outcome import Settlement
from headwater.collector.pipeline.parts import Parts
from headwater.collector.pipeline.progress import Progress
from headwater.collector.pipeline.reading import Reading
from headwater.collector.pipeline.settlements import Settlements
from headwater.collector.pipeline.shares import Shares
from headwater.shared.errors import TransientError
from headwater.shared.log import TopicPartition


class Lane:
    """The main topic, or one retry topic. An error that nothing else caught makes it begin again where it committed:
    counted, logged and shown by ``trouble``, and never the end of it."""

    def __init__(self, parts: Parts, *, rung: int | None = None, settlements: Settlements | None = None) -> None:
        """``rung`` None: the main lane, which tells ``settlements`` how far it has come."""
        self.name = "main" if rung is None else f"retry.{rung}"
        self.topic = parts.topics.main if rung is None else parts.topics.retry(rung)
        # A group for each topic: a member that waits for its retries must not hold up a rebalance of the main topic.
        self._group = parts.group if rung is None else f"{parts.group}.retry.{rung}"
        self.progress = Progress(lambda lag: parts.metrics.lag(self.topic, lag))
        self._parts, self._rung, self._settlements = parts, rung, settlements
        self._shares = Shares(parts, self.name)
        self._delivery = Delivery(parts, self.name, from_retry=rung is not None)
        self._error: str | None = None
        self._failures = 0

    @property
    def trouble(self) -> str | None:
        """Why it does not move on at present; None while all is well."""
        return self._error or self._delivery.trouble or self.progress.trouble

    async def run(self) -> None:
        """Until told to stop."""
        parts = self._parts
        try:
            while not parts.pace.stopping:
                try:
                    await self._read()
                except StoppedError:
                    return
                except asyncio.CancelledError as error:
                    if _asked():
                        raise
                    await self._recover(error)  # a driver's own, which has lost its way
                except Exception as error:
                    await self._recover(error)
        finally:
            self.progress.close()

    async def _read(self) -> None:
        reading: Reading | None = None

        async def revoked(partitions: Collection[TopicPartition]) -> None:
            if reading is not None:
                await reading.revoked(partitions)

        consumer = self._parts.log.consumer(self._group, [self.topic], on_revoke=revoked)
        try:
            reading = Reading(
                self._parts,
                consumer,
                self._delivery,
                self.progress,
                self._shares,
                name=self.name,
                topic=self.topic,
                rung=self._rung,
                on_settled=self._on_settled,
                linger=Linger(self._settlements, self._parts.batches.linger_s),
            )
            await reading.run()
        finally:
            await consumer.close()

    async def _recover(self, error: BaseException) -> None:
        self._failures += 1
        self._error = f"{type(error).__name__}: {error}"
        self._parts.metrics.restarted(self.name)
        defect = not isinstance(error, TransientError)
        self._parts.lines.error("lane_restarts", of=self.name, lane=self.name, error=self._error, exc_info=defect)
        await self._parts.pace.pause(self._parts.retry.pause_s(self._failures, self._parts.random))

    def _on_settled(self, position: int | None, others: list[Settlement]) -> None:
        self._failures, self._error = 0, None
        if self._settlements is not None and position is not None:
            self._settlements.advance(position, others)


def _asked() -> bool:
    """Whether somebody cancelled this task: a CancelledError may also come out of a future that a library cancelled."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0
