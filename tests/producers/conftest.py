"""An environment for each producer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.producers.environments import environment, spark_jars
from tests.servers.errors import ServerMissing
from tests.servers.fixtures import kafka_url, postgres_url  # noqa: F401 - fixtures
from tests.support.seeds import IN_CI


def _had(get: Callable[[], Path]) -> Path:
    try:
        return get()
    except ServerMissing as missing:
        if IN_CI:
            pytest.fail(str(missing), pytrace=False)
        pytest.skip(str(missing))


@pytest.fixture(scope="session")
def openlineage() -> Path:
    """The programs of an environment with openlineage-python."""
    return _had(lambda: environment("openlineage"))


@pytest.fixture(scope="session")
def dbt() -> Path:
    """The programs of an environment with dbt."""
    return _had(lambda: environment("dbt"))


@pytest.fixture(scope="session")
def airflow() -> Path:
    """The programs of an environment with Airflow."""
    return _had(lambda: environment("airflow"))


@pytest.fixture(scope="session")
def spark() -> Path:
    """The programs of an environment with PySpark."""
    return _had(lambda: environment("spark"))


@pytest.fixture(scope="session")
def spark_agent(spark: Path) -> Path:
    """OpenLineage's agent for Spark, a folder of jars."""
    return _had(spark_jars)
