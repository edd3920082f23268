"""Stores without a server: memory, SQLite, and one that only writes."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import ClassVar

import pytest

from headwater.collector.stores import MemoryLineageStore, SqlLineageStore
from headwater.collector.testing.conformance import MakeStore, StoreConformance


def sqlite(folder: Path, place: str) -> SqlLineageStore:
    return SqlLineageStore(f"sqlite:///{folder / place}.db")


class TestMemory(StoreConformance):
    excused: ClassVar = {
        "test_what_was_written_survives_a_kill": "gone with the process",
        "test_a_backend_that_hangs_is_said_so_in_time": "has no backend",
        "test_a_backend_that_is_gone_is_said_so_in_time": "has no backend",
    }

    @pytest.fixture
    def make_store(self) -> MakeStore:
        stores: dict[str, MemoryLineageStore] = {}
        return lambda place: stores.setdefault(place, MemoryLineageStore())


class TestSqlite(StoreConformance):
    excused: ClassVar = {
        "test_a_backend_that_hangs_is_said_so_in_time": "has no backend",
        "test_a_backend_that_is_gone_is_said_so_in_time": "has no backend",
    }

    @pytest.fixture
    def make_store(self, tmp_path: Path) -> MakeStore:
        return partial(sqlite, tmp_path)
