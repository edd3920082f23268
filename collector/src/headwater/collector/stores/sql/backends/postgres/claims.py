"""Makes the runs of a batch this transaction's own, so that two collectors derive no run from half of its facts.

A run that is not there yet is inserted whole; who inserts the same one waits until we have committed. One that is there
is locked. Both go in the order of the keys, the inserts first, so no two batches wait for each other. Everything that
belongs to a run alone is then ours: its states, inputs and outputs, facets and generations.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from sqlalchemy import select
from sqlalchemy.engine import Connection

from headwater.collector.merging.merge import Merged, RunRowValues
from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.backends.postgres.statements import RUN_COLUMNS, BulkUpserts
from headwater.collector.stores.sql.query import Query, Row, driver_cursor

BASE = 6
"""Columns of a run's row that are base facts, after the key."""


class Locked(NamedTuple):
    """A run that was there: its row, and the base facts of the row with the batch merged in."""

    before: Row
    """Without the key, in the order of ``RUN_COLUMNS``."""
    merged: RunRowValues


def lock_runs(connection: Connection, merged: Merged, runs: list[bytes]) -> dict[bytes, Locked]:
    """Those of the runs that are there, locked; ``runs`` in order."""
    rows = {row[0]: row[1:] for row in _LOCKED.rows_among(connection, runs)}
    return {run: Locked(row, _with_batch(row, merged.runs[run])) for run, row in rows.items()}


def known_runs(connection: Connection, merged: Merged) -> set[bytes]:
    """Those that are there now. Others may insert more of them meanwhile."""
    return {row[0] for row in _KNOWN.rows_among(connection, merged.runs)}


def insert_runs(connection: Connection, upserts: BulkUpserts, rows: Mapping[bytes, tuple[Any, ...]]) -> set[bytes]:
    """Those that nobody else inserted meanwhile."""
    if not rows:
        return set()
    cursor = upserts.insert_run.run(driver_cursor(connection), [(run, *rows[run]) for run in sorted(rows)])
    return {row[0] for row in cursor.fetchall()}


def _with_batch(before: Row, new: RunRowValues) -> RunRowValues:
    """The merge rules of RunSeen and RunJob."""
    first, last = before[0], before[1]
    if new[0] is not None:
        first = new[0] if first is None else min(first, new[0])
        last = new[1] if last is None else max(last, new[1])
    said = new[2:] if new[2:5] > list(before[2:5]) else before[2:BASE]
    return [first, last, *said]


_run = schema.run.c
_KNOWN = Query(select(_run.run), among=_run.run)
_LOCKED = Query(
    select(*(_run[name] for name in RUN_COLUMNS)).order_by(_run.run).with_for_update(),
    among=_run.run,
)
