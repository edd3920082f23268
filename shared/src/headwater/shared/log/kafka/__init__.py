"""The log on Kafka. Needs aiokafka (extra ``kafka`` of producer and collector), imported when it first connects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .address import KafkaAddress, parse_address
from .settings import KafkaSettings, kafka_settings

if TYPE_CHECKING:
    from .log import KafkaLog

__all__ = ["KafkaAddress", "KafkaLog", "KafkaSettings", "kafka_settings", "parse_address"]


def __getattr__(name: str) -> Any:
    """``KafkaLog``, whose module loads asyncio: a producer's settings can do without."""
    if name == "KafkaLog":
        from .log import KafkaLog

        return KafkaLog
    raise AttributeError(name)
