"""The log on Kafka."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...errors import HeadwaterError
from ..base import OnRevoke, Record, StoredRecord
from ..topics import check_topic
from .appending import Appended, Appender
from .brokers import Brokers
from .consumer import KafkaConsumer
from .errors import check_installed
from .lag import Lag
from .listing import Listing
from .settings import KafkaSettings, client_options


class KafkaLog:
    """Implements Log. For one event loop; every part connects when it is first used, and again after an error.

    Dead letters (topics that end in ``.dlq``) are kept in partition 0, in the order in which they were given up; all
    other records go where their key leads. ``size``, ``read`` and ``delete_before`` speak of partition 0 unless told
    another one. Offsets have gaps where a transaction or a compaction left them.
    """

    def __init__(self, settings: KafkaSettings) -> None:
        self.settings = settings
        self._brokers = Brokers(settings)
        self._listing = Listing(settings)
        self._bounds = Listing(settings)  # another connection: see Listing.read
        self._appender = Appender(settings, self._brokers)
        self._lag = Lag(self._brokers, self._bounds)

    async def open(self) -> None:
        """Looks at the configuration alone: brokers may be away now. Raises ConfigurationError."""
        check_installed()
        client_options(self.settings)

    async def append(self, topic: str, records: Sequence[Record]) -> list[int]:
        """As the contract, but that an error may leave any part appended. The offsets are each its partition's own."""
        offsets = []
        for result in await self.append_each(topic, records):
            if isinstance(result, HeadwaterError):
                raise result
            offsets.append(result.offset)
        return offsets

    async def append_each(self, topic: str, records: Sequence[Record]) -> list[Appended]:
        """Where each record stands, or why it does not: a record that is refused takes none with it. See
        ``Appender.append``."""
        return await self._appender.append(check_topic(topic), records) if records else []

    def consumer(self, group: str, topics: Sequence[str], *, on_revoke: OnRevoke | None = None) -> KafkaConsumer:
        names = [check_topic(topic) for topic in topics]
        return KafkaConsumer(self.settings, self._brokers, self._lag, group, names, on_revoke)

    async def size(self, topic: str, *, partition: int = 0) -> tuple[int, int]:
        partitions = await self.partitions(topic)
        if partition >= partitions:
            return (0, 0)
        return (await self._bounds.bounds(topic, partitions))[partition]

    async def read(self, topic: str, offset: int, *, max_records: int, partition: int = 0) -> list[StoredRecord]:
        if partition >= await self.partitions(topic):
            return []
        return await self._listing.read(topic, partition, offset, max_records)

    async def delete_before(self, topic: str, offset: int, *, partition: int = 0) -> int:
        """Deletes older records whoever has not read them. Returns the first offset kept."""
        return await self._brokers.delete_before(check_topic(topic), partition, offset)

    async def partitions(self, topic: str) -> int:
        """0 for a topic that does not exist. Raises TransientError."""
        return (await self._brokers.partitions([check_topic(topic)])).get(topic, 0)

    async def ensure(self, topics: Iterable[str]) -> None:
        """See ``Brokers.ensure``."""
        await self._brokers.ensure([check_topic(topic) for topic in topics])

    async def configured(self, topics: Iterable[str], keys: Iterable[str]) -> dict[str, dict[str, str]]:
        """See ``Brokers.configured``. Topics that the client may not ask about are left out. Raises TransientError."""
        return await self._brokers.configured([check_topic(topic) for topic in topics], keys)

    async def lag(self, group: str, topic: str) -> int:
        """Records appended and not committed by the group. Raises TransientError."""
        return await self._lag.of(group, [check_topic(topic)])

    async def close(self) -> None:
        await self._appender.close()
        await self._listing.close()
        await self._bounds.close()
        await self._brokers.close()

    def forget(self) -> None:
        """In a forked child: lets go of the parent's connections without a word to the brokers."""
        self._appender.forget()
