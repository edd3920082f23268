"""Sends to a Kafka topic: from the sender's thread, on an event loop of its own."""

from __future__ import annotations

from collections.abc import Coroutine, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from headwater.shared.errors import ConfigurationError, PermanentError, TransientError

from .base import DELIVERED, Outcome

if TYPE_CHECKING:
    from headwater.shared.log.kafka import KafkaLog, KafkaSettings

    from .._settings import Settings
    from ._loop import OwnLoop

T = TypeVar("T")

_CLOSE_S = 10.0


class KafkaTransport:
    """One topic. An event is taken when all in-sync replicas have it."""

    def __init__(self, settings: KafkaSettings, topic: str) -> None:
        self._settings, self._topic = settings, topic
        self._loop: OwnLoop | None = None
        self._log: KafkaLog | None = None

    def send(self, batch: Sequence[bytes]) -> Outcome:
        from headwater.shared.log.base import Record
        from headwater.shared.log.keys import partition_key_of

        records = [Record(event, partition_key_of(event)) for event in batch]
        try:
            results = self._run(self._append(records))
        except ConfigurationError as error:  # aiokafka or a certificate that is not there: somebody may mend it
            raise TransientError(str(error)) from error
        refused = {index: str(result) for index, result in enumerate(results) if isinstance(result, PermanentError)}
        failed = {index: str(result) for index, result in enumerate(results) if isinstance(result, TransientError)}
        if not refused and not failed:
            return DELIVERED
        return Outcome(refused, tuple(failed), next(iter(failed.values()), None))

    async def _append(self, records: Sequence[Any]) -> Sequence[Any]:
        if self._log is None:
            from headwater.shared.log.kafka import KafkaLog

            log = KafkaLog(self._settings)
            await log.open()
            self._log = log
        return await self._log.append_each(self._topic, records)

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        if self._loop is None:
            from ._loop import OwnLoop

            self._loop = OwnLoop()
        return self._loop.run(work)

    def close(self) -> None:
        loop, log, self._loop, self._log = self._loop, self._log, None, None
        if loop is not None:
            loop.end(None if log is None else log.close(), timeout_s=_CLOSE_S)

    def forked(self) -> None:
        loop, log, self._loop, self._log = self._loop, self._log, None, None
        if log is not None:
            log.forget()
        if loop is not None:
            loop.forget(log)


def from_url(url: str, settings: Settings) -> KafkaTransport:
    from headwater.shared.log.kafka.address import parse_address
    from headwater.shared.log.kafka.errors import check_installed
    from headwater.shared.log.kafka.settings import kafka_settings
    from headwater.shared.log.topics import check_topic

    address = parse_address(url)
    check_installed()
    return KafkaTransport(kafka_settings(address.servers, settings.kafka), address.topic or check_topic(settings.topic))
