"""For all tests of the workspace."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import structlog
from tests.support.bytecode import keep_bytecode
from tests.support.scratch import use_memory

keep_bytecode()
use_memory()

pytest_plugins = ["tests.support.lanes"]


@pytest.fixture(autouse=True)
def logs_as_before() -> Iterator[None]:
    """A command that runs within a test sets up logging for its process, which is the tests' own."""
    yield
    structlog.reset_defaults()
