"""Settings of the tests that cross wheels."""

from __future__ import annotations

import hypothesis

from tests.support.seeds import FULL, IN_CI, SEED

hypothesis.settings.register_profile("everyday", deadline=None, print_blob=True, derandomize=IN_CI)
hypothesis.settings.load_profile("everyday")


def pytest_report_header() -> str:
    return f"headwater: HEADWATER_SEED={SEED}{', full counts' if FULL else ''}"
