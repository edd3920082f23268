"""Stores without a server: memory, SQLite, and one that can only be written."""

from __future__ import annotations

from functools import partial
from io import StringIO
from pathlib import Path
from typing import ClassVar

import pytest

from headwater.collector.stores import LoggingLineageStore, MemoryLineageStore, SqlLineageStore
from headwater.collector.testing.conformance import OUTAGE_CHECKS, Keeps, MakeStore, StoreConformance


def sqlite(folder: Path, place: str) -> SqlLineageStore:
    return SqlLineageStore(f"sqlite:///{folder / place}.db")


class TestMemory(StoreConformance):
    excused: ClassVar = {
        "test_what_was_written_survives_a_kill": "gone with the process",
        **dict.fromkeys(OUTAGE_CHECKS, "has no backend"),
    }

    @pytest.fixture
    def make_store(self) -> MakeStore:
        stores: dict[str, MemoryLineageStore] = {}
        return lambda place: stores.setdefault(place, MemoryLineageStore())


class TestSqlite(StoreConformance):
    excused: ClassVar = dict.fromkeys(OUTAGE_CHECKS, "one file: nobody is asked who could be away")

    @pytest.fixture
    def make_store(self, tmp_path: Path) -> MakeStore:
        return partial(sqlite, tmp_path)


class TestLogging(StoreConformance):
    """Write only: that it takes everything is all that can be seen."""

    keeps = Keeps.NOTHING
    excused: ClassVar = {
        "test_what_was_written_survives_a_kill": "what it wrote is its stream's",
        **dict.fromkeys(OUTAGE_CHECKS, "has no backend"),
    }

    @pytest.fixture
    def make_store(self) -> MakeStore:
        return lambda place: LoggingLineageStore(StringIO())
