"""Kafka of the test run."""

from tests.servers.fixtures import kafka_topics, kafka_url, own_server  # noqa: F401
