"""The URL of a real server, for tests that are no fixture's."""

from __future__ import annotations

import pytest

from tests.servers import ServerMissing, find
from tests.support.lanes import check_lane
from tests.support.seeds import IN_CI


def needed(name: str) -> str:
    """Where no server can be had the test is skipped with the reason, and fails in CI."""
    check_lane()
    try:
        return find(name)
    except ServerMissing as missing:
        if IN_CI:
            pytest.fail(f"{name}: {missing}", pytrace=False)
        pytest.skip(f"{name}: {missing}")
