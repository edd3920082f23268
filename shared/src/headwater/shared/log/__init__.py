"""The log: where events wait, durable, between an application and a collector."""

from .base import Log, LogConsumer, OnRevoke, Record, SharesPartitions, StoredRecord, TopicPartition

__all__ = ["Log", "LogConsumer", "OnRevoke", "Record", "SharesPartitions", "StoredRecord", "TopicPartition"]
