"""A pytest plugin: ``--lane graph`` takes the tests that need Neo4j, ``--lane servers`` those that need other real
servers, ``--lane others`` all the rest.

``python -m tests`` runs all at once. The one database of a Neo4j is emptied for each test, so that only one process may
use it; and what waits for a server leaves a core to the rest.
"""

from __future__ import annotations

import os

import pytest

from tests.servers.fixtures import __all__ as _fixtures

GRAPH, SERVERS, OTHERS = LANES = ("graph", "servers", "others")
ON_NEO4J = {"neo4j_url", "neo4j_database", "documents", "graph", "cluster"}
FIXTURES = {*_fixtures, *ON_NEO4J, "make_kafka_log"}
NEO4J = {"neo4j", "mongo+neo4j"}
PARAMETERS = {*NEO4J, "postgres", "mongo", "kafka"}
"""Values that name servers, or engines on them."""
ENV_LANE = "HEADWATER_TEST_LANE"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--lane", choices=LANES, help="the tests that need Neo4j, other servers, or none")


def pytest_configure(config: pytest.Config) -> None:
    if lane := config.getoption("--lane"):
        os.environ[ENV_LANE] = lane


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if lane := config.getoption("--lane"):
        ours = [item for item in items if lane_of(item) == lane]
        config.hook.pytest_deselected(items=[item for item in items if lane_of(item) != lane])
        items[:] = ours


def lane_of(item: pytest.Item) -> str:
    """By its fixtures, a parameter that names a server, or the marker ``servers``, which says Neo4j's as well."""
    fixtures = set(getattr(item, "fixturenames", ()))
    callspec = getattr(item, "callspec", None)
    values = {value for value in callspec.params.values() if isinstance(value, str)} if callspec is not None else set()
    if item.get_closest_marker(SERVERS) or ON_NEO4J & fixtures or NEO4J & values:
        return GRAPH
    return SERVERS if FIXTURES & fixtures or PARAMETERS & values else OTHERS


def check_lane() -> None:
    """Fails a test that asks for a server in the lane that has none."""
    if os.environ.get(ENV_LANE) == OTHERS:
        pytest.fail(f"it uses a server: give it, or its module, the marker {SERVERS!r}", pytrace=False)
