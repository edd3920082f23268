"""The log on Kafka. Needs aiokafka (``headwater-shared[kafka]``), which is imported when the log is opened."""

from .address import KafkaAddress, parse_address
from .log import KafkaLog
from .settings import KafkaSettings, kafka_settings

__all__ = ["KafkaAddress", "KafkaLog", "KafkaSettings", "kafka_settings", "parse_address"]
