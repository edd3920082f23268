"""The log: where events wait, durable, between an application and a collector."""

from .base import Log, LogConsumer, Record, StoredRecord, TopicPartition

__all__ = ["Log", "LogConsumer", "Record", "StoredRecord", "TopicPartition"]
