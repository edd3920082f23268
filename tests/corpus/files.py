"""The corpus: one JSON object a line, ``{"file": where it comes from, "event": the event}``, in order of arrival."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

from tests.support.outside import need
from tests.support.worlds import World, sqlite_world

COUNTS = {
    "marquez": 23, "compatibility-tests": 56, "openlineage": 11, "captured-dbt-1.54": 494,
    "captured-openlineage-python-1.54": 36, "captured-spark-3.5-openlineage-1.53": 190, "captured-airflow-3.1": 207,
}  # fmt: skip
"""File to its number of events: 1,017 in all."""

DBT, PYTHON, SPARK, AIRFLOW = (name for name in COUNTS if name.startswith("captured"))


class Entry(NamedTuple):
    origin: str
    raw: bytes
    event: dict[str, Any]


def entries(file: str) -> list[Entry]:
    """The file's events; their bytes as an HTTP client would send them."""
    lines = need(f"corpus/{file}.ndjson").read_text().splitlines()
    said = [json.loads(line) for line in lines]
    return [Entry(one["file"], json.dumps(one["event"], ensure_ascii=False).encode(), one["event"]) for one in said]


@asynccontextmanager
async def world_of(file: str, steps: str = "") -> AsyncIterator[World]:
    """A store with the file's events, or with those whose origin holds ``steps``, in batches as they arrived."""
    raw = [entry.raw for entry in entries(file) if steps in entry.origin]
    assert raw
    async with sqlite_world() as world:
        await world.take([raw[at : at + 50] for at in range(0, len(raw), 50)])
        yield world
