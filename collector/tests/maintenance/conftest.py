"""Stores on real servers."""

from __future__ import annotations

from tests.servers.fixtures import *  # noqa: F403
from tests.support.store_fixtures import *  # noqa: F403
