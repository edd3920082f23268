"""What a test class must not get away with."""

from __future__ import annotations

import pytest

pytest_plugins = ["pytester"]

HEAD = """
import pytest
from headwater.collector.stores import MemoryLineageStore
from headwater.collector.testing.conformance import Keeps, StoreConformance

class TestStore(StoreConformance):
"""
MAKE = """
    @pytest.fixture
    def make_store(self):
        stores = {}
        return lambda place: stores.setdefault(place, MemoryLineageStore())
"""


@pytest.mark.parametrize(
    ("body", "check", "says"),
    [
        ("    pass", "takes_an_empty_batch", "must have a fixture `make_store`"),
        ("    excused = {'test_no_such': 'x'}" + MAKE, "takes_an_empty_batch", "there is no check test_no_such"),
        (MAKE, "a_backend_that_hangs_is_said_so_in_time", "give a fixture `faults`"),
        (MAKE, "what_was_written_survives_a_kill", "cannot be handed to another process"),
        ("    keeps = Keeps.GRAPH" + MAKE, "is_a_store_and_keeps_what_is_declared", "the test class declares"),
    ],
)
def test_what_is_left_out_is_no_pass(pytester: pytest.Pytester, body: str, check: str, says: str) -> None:
    path = pytester.makepyfile(HEAD + body)
    node = f"{path.name}::TestStore::test_{check}"
    ran = pytester.inline_run("-q", "-p", "no:cacheprovider", "-p", "no:asyncio", node)
    passed, skipped, failed = ran.listoutcomes()
    assert (len(passed), len(skipped)) == (0, 0)
    assert says in str(failed[0].longrepr)  # type: ignore[union-attr]


def test_what_is_skipped_says_why(pytester: pytest.Pytester) -> None:
    excused = "    excused = {'test_takes_an_empty_batch': 'a reason'}\n    keeps = Keeps.DOCUMENTS"
    path = pytester.makepyfile(HEAD + excused + MAKE)
    ran = pytester.inline_run("-q", "-p", "no:cacheprovider", "-p", "no:asyncio", path.name, "-k", "empty or model")
    _, skipped, _ = ran.listoutcomes()
    reasons = [str(report.longrepr) for report in skipped]  # type: ignore[union-attr]
    assert len(reasons) == 2
    assert any("excused: a reason" in reason for reason in reasons)
    assert any("keeps no graph, as declared" in reason for reason in reasons)
