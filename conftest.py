"""For all tests of the workspace."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import structlog

pytest_plugins = ["tests.support.lanes"]


@pytest.fixture(autouse=True)
def logs_as_before() -> Iterator[None]:
    """A command that runs within a test sets up logging for its process, which is the tests' own."""
    yield
    structlog.reset_defaults()
