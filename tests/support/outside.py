"""Files that come with the project's setting and not with its checkout: the corpus of captured events."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.seeds import IN_CI

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("HEADWATER_SHARED") or ROOT.parent / "shared")


def need(relative: str) -> Path:
    """The path under HEADWATER_SHARED. Missing: the test is skipped, and fails in CI."""
    path = SHARED / relative
    if not path.exists():
        message = f"{path} is not there: set HEADWATER_SHARED to the folder that holds {relative}"
        if IN_CI:
            pytest.fail(message)
        pytest.skip(message)
    return path
