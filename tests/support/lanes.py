"""A pytest plugin: ``--lane servers`` takes the tests that need real servers, ``--lane others`` all the rest.

``python -m tests`` runs both at once. The servers of a run are found by one process and shared with nobody, so no test
sees another one's graph; and what waits for servers leaves a core to the rest.
"""

from __future__ import annotations

import os

import pytest

from tests.servers.fixtures import __all__ as _fixtures

SERVERS, OTHERS = "servers", "others"
FIXTURES = {*_fixtures, "documents", "graph", "make_kafka_log", "cluster"}
PARAMETERS = {"postgres", "neo4j", "mongo", "kafka", "mongo+neo4j"}
"""Values that name servers, or engines on them."""
ENV_LANE = "HEADWATER_TEST_LANE"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--lane", choices=(SERVERS, OTHERS), help="the tests that need servers, or the others")


def pytest_configure(config: pytest.Config) -> None:
    if lane := config.getoption("--lane"):
        os.environ[ENV_LANE] = lane


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if lane := config.getoption("--lane"):
        both: dict[bool, list[pytest.Item]] = {True: [], False: []}
        for item in items:
            both[needs_servers(item) == (lane == SERVERS)].append(item)
        items[:] = both[True]
        config.hook.pytest_deselected(items=both[False])


def needs_servers(item: pytest.Item) -> bool:
    """It has one of their fixtures, a parameter that names one, or the marker ``servers``."""
    if item.get_closest_marker(SERVERS) or FIXTURES.intersection(getattr(item, "fixturenames", ())):
        return True
    callspec = getattr(item, "callspec", None)
    return callspec is not None and any(isinstance(v, str) and v in PARAMETERS for v in callspec.params.values())


def check_lane() -> None:
    """Fails a test that asks for a server in the lane that has none."""
    if os.environ.get(ENV_LANE) == OTHERS:
        pytest.fail(f"it uses a server: give it, or its module, the marker {SERVERS!r}", pytrace=False)
