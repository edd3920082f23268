"""``headwater emit`` to Kafka."""

from __future__ import annotations

from collections.abc import Sequence

from headwater.collector.settings import Settings
from headwater.shared.errors import HeadwaterError, PermanentError
from headwater.shared.log import Record
from headwater.shared.log.kafka import KafkaLog, parse_address
from headwater.shared.log.keys import partition_key_of

from .reading import Bad, Good
from .sinks import Outcome


class KafkaSink:
    """Appends to a topic; collectors store the events from there."""

    def __init__(self, url: str) -> None:
        lineage, address = Settings().lineage, parse_address(url)
        self.where = url
        self._topic = address.topic or lineage.collector_topic
        self._log = KafkaLog(lineage.kafka.of(address.servers))

    async def open(self) -> None:
        await self._log.open()
        await self._log.ensure([self._topic])

    async def send(self, batch: Sequence[Good]) -> Outcome:
        records = [Record(good.raw, partition_key_of(good.raw)) for good in batch]
        outcome = Outcome([], [])
        errors: list[HeadwaterError] = []
        for good, result in zip(batch, await self._log.append_each(self._topic, records), strict=True):
            if isinstance(result, PermanentError):
                outcome.refused.append(Bad(good.place, "refused_by_broker", str(result)))
            elif isinstance(result, HeadwaterError):
                outcome.again.append(good)
                errors.append(result)
        if len(errors) == len(batch):
            raise errors[0]
        return outcome

    async def close(self) -> None:
        await self._log.close()
