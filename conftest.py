"""For all tests of the workspace."""

from __future__ import annotations

pytest_plugins = ["tests.support.lanes"]
