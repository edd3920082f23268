"""Hypothesis runs the same examples every time in CI, new ones elsewhere."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, settings
from tests.servers.fixtures import *  # noqa: F403 - fixtures
from tests.servers.places import KafkaTopics
from tests.support.kafka import ApartLog

settings.register_profile("ci", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("dev", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ci" if os.environ.get("CI") else "dev")


@pytest.fixture
def make_kafka_log(kafka_topics: KafkaTopics) -> Callable[..., ApartLog]:
    """Logs on the broker of the test run, with topics of the test's own."""

    def make(**_: object) -> ApartLog:
        return ApartLog(kafka_topics)

    return make
