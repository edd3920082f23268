"""Appends through one idempotent producer, each known to be on all in-sync replicas, refused or to be tried again."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from typing import Any, NamedTuple

from ...errors import HeadwaterError, PermanentError, TransientError
from ..base import Record
from ..topics import check_topic
from .brokers import DEAD_LETTER_SUFFIX, Brokers
from .errors import too_large, translated
from .quiet import quiet_aiokafka
from .settings import KafkaSettings, client_options, compression_type

_BATCH_BYTES = 900_000
"""Of one partition, before compression: below the brokers' usual limit of 1 MiB however well it compresses."""
_MAX_RECORD_BYTES = 96 * 1024 * 1024
"""Brokers close the connection of a request over 100 MiB; below that the topic's own limit decides."""
_STOP_S = 5.0


class Placed(NamedTuple):
    """Where a record stands."""

    partition: int
    offset: int


Appended = Placed | HeadwaterError


class Appender:
    """For one event loop; concurrent callers share the producer, and its batches."""

    def __init__(self, settings: KafkaSettings, brokers: Brokers) -> None:
        self._settings, self._brokers = settings, brokers
        self._producer: Any = None
        self._starting = asyncio.Lock()
        self._topics: set[str] = set()

    async def append(self, topic: str, records: Sequence[Record]) -> list[Appended]:
        """Tries each record within the settings' time. For each, where it stands, or why it does not: PermanentError
        where the broker refuses it for good, TransientError where it may have it or not. Raises as the latter if not
        one was tried, and ConfigurationError."""
        check_topic(topic)
        results = await self._append_together(topic, records)
        if len(records) > 1 and any(isinstance(result, PermanentError) for result in results):
            # The broker refuses a batch for the size of one record, and what came behind it: each by itself, then.
            for index, result in enumerate(results):
                if not isinstance(result, Placed):
                    results[index] = (await self._append_together(topic, [records[index]]))[0]
        return results

    async def close(self) -> None:
        """Idempotent. Waits for nothing that is still on its way: its callers are told that it failed."""
        await self._abandon(self._producer)

    async def _append_together(self, topic: str, records: Sequence[Record]) -> list[Appended]:
        where = f"{','.join(self._settings.servers)}: appending to {topic}"
        producer = await self._started(topic, where)
        futures: list[asyncio.Future[Any]] = []
        late: BaseException | None = None
        try:
            async with asyncio.timeout(self._settings.append_timeout_s):
                for record in records:
                    futures.append(await self._send(producer, topic, record))  # noqa: PERF401 - kept on an error
                for future in futures:
                    await _settled(future)
        except TimeoutError:
            late = TransientError(f"{where}: no answer within {self._settings.append_timeout_s:g} s")
        except Exception as error:  # a batch that nobody takes away, a producer that has failed for good
            late = error
        if late is not None or any(future.done() and future.exception() for future in futures):
            # It never gives up a batch that nobody answers, and the sequence numbers of one that was refused are
            # missing ever after.
            await self._abandon(producer)
        results = [_result(future, where) for future in futures]
        results += [translated(late or TransientError(where), where)] * (len(records) - len(futures))
        return results

    async def _send(self, producer: Any, topic: str, record: Record) -> asyncio.Future[Any]:
        try:
            sent: asyncio.Future[Any] = await producer.send(
                topic,
                record.value,
                key=record.key,
                headers=list(record.headers),
                partition=0 if topic.endswith(DEAD_LETTER_SUFFIX) else None,
            )
        except Exception as error:
            if not too_large(error):
                raise
            sent = asyncio.get_running_loop().create_future()
            sent.set_exception(error)
        return sent

    async def _started(self, topic: str, where: str) -> Any:
        async with self._starting:
            if topic not in self._topics:
                await self._brokers.ensure([topic])
                self._topics.add(topic)
            if self._producer is None:
                from aiokafka import AIOKafkaProducer

                quiet_aiokafka()
                producer = AIOKafkaProducer(
                    **client_options(self._settings),
                    acks="all",
                    enable_idempotence=True,
                    compression_type=compression_type(self._settings),
                    max_batch_size=_BATCH_BYTES,
                    max_request_size=_MAX_RECORD_BYTES,
                )
                try:
                    async with asyncio.timeout(self._settings.append_timeout_s):
                        await producer.start()
                except BaseException as error:
                    await _force_stop(producer)
                    if isinstance(error, Exception):
                        raise translated(error, where) from error
                    raise
                self._producer = producer
            # aiokafka watches a topic only if it did not know it yet. A new producer knows all for a moment; when it
            # learns of another one it forgets them, and what is sent then finds no leader until it expires.
            self._producer.client.add_topic(topic)
            return self._producer

    async def _abandon(self, producer: Any) -> None:
        if producer is not None and producer is self._producer:
            self._producer = None
            self._topics.clear()
            await _force_stop(producer)

    def forget(self) -> None:
        """In a forked child: the parent goes on with the connections, and this process must not touch them."""
        producer, self._producer = self._producer, None
        if producer is not None:
            producer._closed = True  # else it complains when it is collected


async def _settled(future: asyncio.Future[Any]) -> None:
    if not future.done():
        await asyncio.wait([future])


def _result(future: asyncio.Future[Any], where: str) -> Appended:
    if not future.done() or future.cancelled():
        return TransientError(f"{where}: no answer in time")
    error = future.exception()
    if error is not None:
        return translated(error, where)
    metadata = future.result()
    return Placed(metadata.partition, metadata.offset)


async def _force_stop(producer: Any) -> None:
    """aiokafka's ``stop`` waits until everything is delivered, for ever if no broker comes back. So what waits is
    failed first, by its own means for a producer that has met a fatal error (``_message_accumulator.fail_all``)."""
    from aiokafka.errors import KafkaConnectionError

    producer._message_accumulator.fail_all(KafkaConnectionError("given up"))
    stopping = asyncio.ensure_future(producer.stop())
    await asyncio.wait([stopping], timeout=_STOP_S)
    if not stopping.done():
        stopping.cancel()
        with contextlib.suppress(Exception, asyncio.CancelledError):
            await producer.client.close()
    await asyncio.gather(stopping, return_exceptions=True)
