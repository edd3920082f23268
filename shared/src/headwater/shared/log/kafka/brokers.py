"""One connection for questions about topics and groups, and for making topics."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, TypeVar

from ...errors import ConfigurationError, PermanentError, TransientError
from ...names import dead_letter_topic, retry_topic
from .errors import topic_missing, translated
from .quiet import quiet_aiokafka
from .settings import KafkaSettings, client_options

T = TypeVar("T")

_NO_ERROR, _ALREADY_EXISTS, _UNKNOWN_TOPIC = 0, 36, 3
_TOO_FEW_BROKERS = 38
"""Kafka calls it an invalid replication factor. Brokers that start or are too busy count as missing."""
HEADROOM_BYTES = 128 * 1024
"""By how much an envelope of a retry or a dead letter may be larger than its event."""
_USUAL_MESSAGE_BYTES = 1_048_588
DEAD_LETTER_SUFFIX = dead_letter_topic("")
_RETRY_MIDDLE = retry_topic("", 0).removesuffix("0")
_SERVED_WITHIN = 50


class Brokers:
    """Connects when first asked; after an error it connects anew. Raises TransientError."""

    def __init__(self, settings: KafkaSettings) -> None:
        self._settings = settings
        self._admin: Any = None
        self._lock = asyncio.Lock()

    async def partitions(self, topics: Iterable[str]) -> dict[str, int]:
        """How many partitions each has; topics that do not exist are left out."""
        names = sorted(set(topics))

        async def ask(admin: Any) -> dict[str, int]:
            described = await admin.describe_topics(names)
            return {
                one["topic"]: len(one["partitions"])
                for one in described
                if one["error_code"] != _UNKNOWN_TOPIC and one["partitions"]
            }

        return await self._ask("asking for topics", ask) if names else {}

    async def committed(self, group: str, topic: str, partitions: int) -> dict[int, int]:
        """The group's offsets by partition, where it has any."""
        from aiokafka import TopicPartition

        async def ask(admin: Any) -> dict[int, int]:
            wanted = [TopicPartition(topic, number) for number in range(partitions)]
            found = await admin.list_consumer_group_offsets(group, partitions=wanted)
            return {place.partition: meta.offset for place, meta in found.items() if meta.offset >= 0}

        return await self._ask(f"asking for the offsets of group {group}", ask)

    async def ensure(self, topics: Iterable[str]) -> None:
        """Makes those that do not exist, if the settings say so. Raises TransientError, which names the topic and what
        to do, for one that is missing else, and PermanentError where the cluster refuses what the settings ask."""
        names = sorted(set(topics))
        existing = await self.partitions(names)
        missing = [name for name in names if name not in existing]
        if not missing:
            return
        if not self._settings.create_topics:
            raise topic_missing(missing[0], self._settings.servers)
        await self._ask(f"making {', '.join(missing)}", lambda admin: self._create(admin, missing))
        for _ in range(_SERVED_WITHIN):
            if len(await self.partitions(missing)) == len(missing):
                return
            await asyncio.sleep(0.1)

    async def _create(self, admin: Any, names: list[str]) -> None:
        from aiokafka.admin import NewTopic

        settings = self._settings
        replicas = settings.replication_factor
        limit = await _message_limit(admin, _main_topic(names[0]))
        made = [
            NewTopic(
                name,
                1 if name.endswith(DEAD_LETTER_SUFFIX) else settings.partitions,
                replicas,
                {} if replicas == -1 else None,  # aiokafka's way to say: as the broker likes
                self._topic_config(name, limit),
            )
            for name in names
        ]
        answer = await admin.create_topics(made)
        for name, code, *told in answer.topic_errors:
            if code not in (_NO_ERROR, _ALREADY_EXISTS):
                from aiokafka.errors import for_code

                refusal = for_code(code)
                kind = TransientError if code == _TOO_FEW_BROKERS or refusal.retriable else PermanentError
                raise kind(f"topic {name} cannot be made: {(told and told[0]) or refusal.__name__}")

    def _topic_config(self, name: str, limit: int) -> Mapping[str, str]:
        settings = self._settings
        dead = name.endswith(DEAD_LETTER_SUFFIX)
        config = {"cleanup.policy": "delete", "retention.ms": "-1" if dead else str(int(settings.retention_s * 1000))}
        if _main_topic(name) != name:
            config["max.message.bytes"] = str(limit + HEADROOM_BYTES)
        insync = settings.min_insync_replicas or (2 if settings.replication_factor >= 3 else None)
        if insync is not None:
            config["min.insync.replicas"] = str(insync)
        return config

    async def configured(self, topics: Iterable[str], keys: Iterable[str]) -> dict[str, dict[str, str]]:
        """The topics' settings of these keys as they are in force, the brokers' defaults among them."""
        names, wanted = sorted(set(topics)), dict.fromkeys(keys)

        async def ask(admin: Any) -> dict[str, dict[str, str]]:
            from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType

            asked = [ConfigResource(ConfigResourceType.TOPIC, name, wanted) for name in names]
            return {
                name: {entry[0]: entry[1] for entry in entries}
                for answer in await admin.describe_configs(asked)
                for code, _, _, name, entries in answer.resources
                if code == _NO_ERROR
            }

        return await self._ask("asking for the settings of topics", ask) if names else {}

    async def delete_before(self, topic: str, partition: int, offset: int) -> int:
        """Deletes older records for everybody. Returns the first offset kept."""
        from aiokafka import TopicPartition
        from aiokafka.admin import RecordsToDelete

        place = TopicPartition(topic, partition)

        async def ask(admin: Any) -> int:
            return int((await admin.delete_records({place: RecordsToDelete(offset)}))[place])

        return await self._ask(f"deleting from {topic}", ask)

    async def close(self) -> None:
        admin, self._admin = self._admin, None
        if admin is not None:
            await admin.close()

    async def _ask(self, doing: str, question: Callable[[Any], Awaitable[T]]) -> T:
        where = ",".join(self._settings.servers)
        async with self._lock:
            try:
                async with asyncio.timeout(self._settings.request_timeout_s):
                    return await question(await self._connected())
            except (ConfigurationError, PermanentError):
                raise
            except Exception as error:
                await self.close()
                raise translated(error, f"{where}: {doing}") from error

    async def _connected(self) -> Any:
        if self._admin is None:
            from aiokafka.admin import AIOKafkaAdminClient

            quiet_aiokafka()
            admin = AIOKafkaAdminClient(**client_options(self._settings))
            try:
                await admin.start()
            except BaseException:
                await admin.close()
                raise
            self._admin = admin
        return self._admin


def _main_topic(name: str) -> str:
    """The topic whose events end up in this one."""
    main = name.removesuffix(DEAD_LETTER_SUFFIX)
    before, middle, rung = main.rpartition(_RETRY_MIDDLE)
    return before if middle and rung.isdigit() else main


async def _message_limit(admin: Any, topic: str) -> int:
    """The topic's limit for one message; where it does not exist yet, what it will have."""
    from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType

    nodes = [broker["node_id"] for broker in (await admin.describe_cluster())["brokers"]]
    for kind, name, key in (
        (ConfigResourceType.TOPIC, topic, "max.message.bytes"),
        *((ConfigResourceType.BROKER, str(node), "message.max.bytes") for node in nodes),
    ):
        for answer in await admin.describe_configs([ConfigResource(kind, name, {key: None})]):
            for code, _, _, _, entries in answer.resources:
                if code == _NO_ERROR and entries and entries[0][1]:
                    return int(entries[0][1])
    return _USUAL_MESSAGE_BYTES
