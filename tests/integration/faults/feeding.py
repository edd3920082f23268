"""Records that another client than ours writes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource

from headwater.shared.log.keys import partition_key_of
from tests.integration.faults.cluster import Cluster


def feed(cluster: Cluster, values: Iterable[bytes]) -> dict[bytes, tuple[int, int]]:
    """Appends them to the topic; all are there when it returns. Gives partition and offset of each."""
    producer = Producer({"bootstrap.servers": cluster.servers["kafka"].url, "acks": "all", "enable.idempotence": True})
    places: dict[bytes, tuple[int, int]] = {}

    def delivered(error: Any, message: Any) -> None:
        assert error is None, error
        places[message.value()] = message.partition(), message.offset()

    for value in values:
        producer.produce(cluster.topic, value, key=partition_key_of(value), on_delivery=delivered)
    assert producer.flush(60) == 0
    return places


def alter_topic(cluster: Cluster, topic: str, **config: str | None) -> None:
    """Sets what the broker calls ``max.message.bytes`` and so on (underscores for dots); None takes it back."""
    entries = [_entry(name.replace("_", "."), value) for name, value in config.items()]
    resource = ConfigResource(ConfigResource.Type.TOPIC, topic, incremental_configs=entries)
    admin = AdminClient({"bootstrap.servers": cluster.servers["kafka"].url, "log_level": 0})
    changes: Mapping[Any, Any] = admin.incremental_alter_configs([resource])
    changes[resource].result(30)


def _entry(name: str, value: str | None) -> ConfigEntry:
    kind = AlterConfigOpType.DELETE if value is None else AlterConfigOpType.SET
    return ConfigEntry(name, value, incremental_operation=kind)
