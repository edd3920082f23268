"""One member of a Kafka consumer group.

aiokafka rebalances eagerly: every partition is given up before the new assignment comes. What it has fetched and nobody
has been handed is dropped then, and read again from the committed offset by whoever gets the partition.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Collection, Mapping, Sequence
from typing import Any

from ...errors import TransientError
from ..base import OnRevoke, StoredRecord, TopicPartition
from .brokers import Brokers
from .buffer import Buffer
from .errors import translated
from .lag import Behind, Lag
from .quiet import quiet_aiokafka
from .records import stored
from .settings import KafkaSettings, client_options
from .watch import Watch

_FETCH_BYTES = 16 * 1024 * 1024
"""Fetched ahead at most, but for a single record that is larger."""
_PARTITION_BYTES = 2 * 1024 * 1024
_FETCH_RECORDS = 2000
_FETCH_WAIT_MS = 250
_SIGN_OF_LIFE = 0.1
"""Part of the longest poll interval: when the caller is busy for longer the partitions are paused and polled, so that
the group does not take it for dead."""
_REVOKE_S = 15.0
"""How long a rebalance waits for work in hand."""
_REBALANCE_S = 60.0
_STOP_S = 5.0
_PATIENCE_S = 120.0
"""More than a rebalance may take."""
_WITHOUT = 5
"""So many times the patience of a member without partitions: it may be one too many, and all wait for a store."""


class KafkaConsumer:
    """Implements LogConsumer. Joins the group at the first ``next_batch``; after an error close it and make another."""

    def __init__(
        self,
        settings: KafkaSettings,
        brokers: Brokers,
        lag: Lag,
        group: str,
        topics: Sequence[str],
        on_revoke: OnRevoke | None,
    ) -> None:
        self._settings, self._brokers, self._lag = settings, brokers, lag
        self._group, self._topics, self._on_revoke = group, list(topics), on_revoke
        self._consumer: Any = None
        self._buffer = Buffer()
        self._polling: asyncio.Task[list[StoredRecord]] | None = None
        self._living: asyncio.Task[None] | None = None
        self._asked_s = time.monotonic()
        self._failed: Exception | None = None
        self._watch = Watch()
        self.patience_s = _PATIENCE_S
        """After so long a member that gets nothing of what waits raises TransientError, so that it joins anew."""

    async def next_batch(self, *, max_records: int, max_bytes: int, timeout_s: float) -> list[StoredRecord]:
        consumer = await self._joined()
        self._check()
        self._asked_s = time.monotonic()
        deadline_s = self._asked_s + timeout_s
        while True:
            if len(self._buffer) < max_records:
                left_s = 0.0 if self._buffer else max(0.0, deadline_s - time.monotonic())
                await self._poll(consumer, left_s)
            if self._buffer or time.monotonic() >= deadline_s:
                self._asked_s = time.monotonic()
                batch = self._buffer.take(max_records, max_bytes)
                self._watch.got() if batch else self._watch.asked(self._asked_s)
                return batch

    async def commit(self, offsets: Mapping[TopicPartition, int]) -> None:
        """As the contract; partitions that the group has given to another member are left alone."""
        ours = {place: offset for place, offset in offsets.items() if place.topic in self._topics}
        if self._consumer is None:
            await self._commit_alone(ours)
            return
        from aiokafka import TopicPartition as Place

        assigned = self._consumer.assignment()
        wanted = {Place(*place): offset for place, offset in ours.items() if Place(*place) in assigned}
        if wanted:
            await self._bounded("committing", self._consumer.commit(wanted))

    async def lag(self) -> int:
        found = await self._lag.by_partition(self._group, self._topics)
        if self._consumer is not None:
            self._look(found)
        return sum(behind.records for behind in found.values())

    def assigned(self) -> Collection[TopicPartition]:
        """See ``SharesPartitions``."""
        return () if self._consumer is None else {TopicPartition(*place) for place in self._consumer.assignment()}

    async def seek_to_committed(self) -> None:
        if self._consumer is None:
            return
        await self._drop()
        for place in self._consumer.assignment():
            await self._bounded("seeking", self._seek(place))

    async def close(self) -> None:
        """Leaves the group, within a few seconds whatever the brokers do."""
        consumer, self._consumer = self._consumer, None
        if self._living is not None:
            self._living.cancel()
            await asyncio.gather(self._living, return_exceptions=True)
            self._living = None
        await self._drop()
        if consumer is not None:
            await _stop(consumer)

    # Polling ---------------------------------------------------------------------------------------------------------

    async def _poll(self, consumer: Any, timeout_s: float) -> None:
        """Waits for records, and puts what comes into the buffer. A poll that is not done in time goes on for the next
        call: what it fetches is not lost."""
        if self._polling is None:
            self._polling = asyncio.ensure_future(self._fetch(consumer, timeout_s))
        polling = self._polling
        if not polling.done():
            # One turn of the loop even without time: a poll that finds something needs no more.
            await asyncio.wait([polling], timeout=max(timeout_s, 0.001))
        if self._polling is not polling or not polling.done():  # a rebalance has dropped it, or it goes on
            return
        self._polling = None
        if polling.cancelled():  # not by us, see above: else the caller would be taken for cancelled
            raise self._translated(TransientError("the poll has ended"), "reading")
        try:
            self._buffer.add(polling.result())
        except Exception as error:
            raise self._translated(error, "reading") from error

    async def _fetch(self, consumer: Any, timeout_s: float) -> list[StoredRecord]:
        found = await consumer.getmany(timeout_ms=int(timeout_s * 1000), max_records=_FETCH_RECORDS)
        if not found and consumer._fetcher.error_future.done():  # aiokafka tells nobody
            consumer._fetcher.error_future.result()
            raise TransientError("the fetcher has ended")
        return [stored(message) for messages in found.values() for message in messages]

    async def _drop(self) -> None:
        """Forgets what was fetched and not handed out."""
        polling, self._polling = self._polling, None
        if polling is not None:
            polling.cancel()
            await asyncio.gather(polling, return_exceptions=True)
        self._buffer.clear()

    async def _show_life(self, consumer: Any) -> None:
        every_s = self._settings.max_poll_interval_s * _SIGN_OF_LIFE
        while True:
            await asyncio.sleep(every_s)
            if time.monotonic() - self._asked_s < every_s or (self._polling and not self._polling.done()):
                continue
            places = consumer.assignment()
            consumer.pause(*places)
            try:
                await asyncio.wait_for(consumer.getmany(timeout_ms=0), every_s)
            except TimeoutError:  # a rebalance
                pass
            except Exception as error:  # aiokafka tells it once, and this is not who must know
                self._failed = self._translated(error, "reading")
            finally:
                consumer.resume(*(places & consumer.assignment()))

    def _look(self, found: Mapping[TopicPartition, Behind]) -> None:
        """Compares what the brokers have with how far this member has come."""
        ours, waiting = self.assigned(), 0
        for place, behind in found.items():
            if place in ours or not ours:
                waiting += max(0, behind.following - max(behind.settled, self._position(place)))
        settled = sum(behind.settled for behind in found.values())
        self._watch.seen(waiting, time.monotonic(), progress=0 if ours else settled)

    def _position(self, place: TopicPartition) -> int:
        """The next offset to be fetched; 0 before that is known."""
        from aiokafka import TopicPartition as Place

        assignment = self._consumer._subscription.subscription.assignment
        state = None if assignment is None else assignment.state_value(Place(*place))
        return state.position if state is not None and state.has_valid_position else 0

    def _check(self) -> None:
        """Raises what happened while nobody asked, and TransientError where nothing comes although it should."""
        failed, self._failed = self._failed, None
        if failed is not None:
            raise failed
        ours = sorted(place.partition for place in self.assigned())
        patience_s = self.patience_s if ours else _WITHOUT * self.patience_s
        if waiting := self._watch.stalled(patience_s):
            why = f"nothing came for {patience_s:g} s of {waiting} records that wait, with partitions {ours or 'none'}"
            raise self._translated(TransientError(why), "reading")

    # The group -------------------------------------------------------------------------------------------------------

    async def _joined(self) -> Any:
        if self._consumer is None:
            if self._settings.create_topics:
                await self._brokers.ensure(self._topics)
            consumer = self._made()
            try:
                async with asyncio.timeout(self._settings.request_timeout_s):
                    await consumer.start()
                # Subscribing afterwards: `start` would wait for topics that do not exist yet.
                consumer.subscribe(self._topics, listener=self._listener())
            except BaseException as error:
                await _stop(consumer)
                if isinstance(error, Exception):
                    raise self._translated(error, "joining") from error
                raise
            self._consumer = consumer
            self._living = asyncio.ensure_future(self._show_life(consumer))
        return self._consumer

    def _made(self) -> Any:
        from aiokafka import AIOKafkaConsumer
        from aiokafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor

        quiet_aiokafka()
        session_ms = int(self._settings.session_timeout_s * 1000)
        return AIOKafkaConsumer(
            **client_options(self._settings),
            group_id=self._group,
            enable_auto_commit=False,
            auto_offset_reset="earliest",
            isolation_level="read_committed",
            partition_assignment_strategy=(RoundRobinPartitionAssignor,),
            session_timeout_ms=session_ms,
            heartbeat_interval_ms=min(3000, session_ms // 4),
            rebalance_timeout_ms=int(_REBALANCE_S * 1000),
            max_poll_interval_ms=int(self._settings.max_poll_interval_s * 1000),
            fetch_max_bytes=_FETCH_BYTES,
            max_partition_fetch_bytes=_PARTITION_BYTES,
            fetch_max_wait_ms=_FETCH_WAIT_MS,
        )

    def _listener(self) -> Any:
        from aiokafka.abc import ConsumerRebalanceListener

        consumer = self

        class Listener(ConsumerRebalanceListener):  # type: ignore[misc]
            async def on_partitions_revoked(self, revoked: set[Any]) -> None:
                await consumer._revoked({TopicPartition(*place) for place in revoked})

            async def on_partitions_assigned(self, assigned: set[Any]) -> None:
                pass

        return Listener()

    async def _revoked(self, places: set[TopicPartition]) -> None:
        """The partitions are still ours to commit while this runs; none of their records is handed out any more."""
        if not places:  # the first time, before anything was assigned
            return
        await self._drop()
        if self._on_revoke is not None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_REVOKE_S):
                    await self._on_revoke(places)

    async def _seek(self, place: Any) -> None:
        offset = await self._consumer.committed(place)
        if offset is None:
            await self._consumer.seek_to_beginning(place)
        else:
            self._consumer.seek(place, offset)

    async def _commit_alone(self, offsets: Mapping[TopicPartition, int]) -> None:
        """For a group that has no members now."""
        if not offsets:
            return
        from aiokafka import TopicPartition as Place

        consumer = self._made()
        try:
            await self._bounded("joining", consumer.start())
            wanted = {Place(*place): offset for place, offset in offsets.items()}
            consumer.assign(list(wanted))
            await self._bounded("committing", consumer.commit(wanted))
        finally:
            await _stop(consumer)

    async def _bounded(self, doing: str, work: Awaitable[Any]) -> None:
        try:
            async with asyncio.timeout(self._settings.request_timeout_s):
                await work
        except Exception as error:
            raise self._translated(error, doing) from error

    def _translated(self, error: Exception, doing: str) -> Exception:
        where = ",".join(self._settings.servers)
        return translated(error, f"{where}: {doing} {', '.join(self._topics)} as group {self._group}")


async def _stop(consumer: Any) -> None:
    """aiokafka's own ``stop``, and where that hangs on brokers that are away, the end of its connections."""
    stopping = asyncio.ensure_future(consumer.stop())
    await asyncio.wait([stopping], timeout=_STOP_S)
    if not stopping.done():
        stopping.cancel()
        with contextlib.suppress(Exception, asyncio.CancelledError):
            await consumer._client.close()
    await asyncio.gather(stopping, return_exceptions=True)
