"""Writes what ties runs to wants, and keeps ready what is derived from it."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import and_, bindparam, insert, literal, select
from sqlalchemy.engine import Connection

from headwater.collector.facts import WantRole
from headwater.collector.merging.merge import Merged
from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.query import Query, run_many
from headwater.collector.stores.sql.upserts import Upserts

BOTH: Final = 2
"""The role of rows that follow from others: the run serves the want, and it spawned some. So the wants that derive from
one are found along these runs alone."""


def write_wants(connection: Connection, upserts: Upserts, merged: Merged) -> None:
    """In the transaction that has the runs of the batch to itself."""
    run_many(connection, upserts.want, [(key, *said) for key, said in sorted(merged.wants.items())])
    run_many(connection, upserts.want_run, sorted(merged.want_runs))
    for run in sorted({run for _, _, run in merged.want_runs}):
        _SPAWNING.rows(connection, run=run)


def _spawning() -> Query:
    serves, spawned, there = (schema.want_run.alias(name).c for name in ("serves", "spawned", "there"))
    run: Any = bindparam("run")
    has_spawned = select(spawned.want).where(and_(spawned.run == run, spawned.role == int(WantRole.SPAWNED))).exists()
    is_there = select(there.want).where(there.run == run, there.role == BOTH, there.want == serves.want).exists()
    fresh = select(serves.want, literal(BOTH), serves.run).where(
        serves.run == run, serves.role == int(WantRole.SERVES), has_spawned, ~is_there
    )
    table = schema.want_run
    return Query(insert(table).from_select(["want", "role", "run"], fresh).returning(table.c.want))


_SPAWNING: Final = _spawning()
