"""Writes a batch, row by row as SQLite likes it: one writer, so nothing is locked and nothing is waited for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy.engine import Connection

from headwater.collector.merging.merge import Merged
from headwater.collector.stores.sql.catalog import write_catalog
from headwater.collector.stores.sql.derived import Derivation
from headwater.collector.stores.sql.query import run_many
from headwater.collector.stores.sql.symlinks import write_symlinks
from headwater.collector.stores.sql.touched import touch
from headwater.collector.stores.sql.upserts import DERIVED_RUN, Upserts
from headwater.collector.stores.sql.wants import write_wants

_NO_RUN = (None,) * len(DERIVED_RUN)
"""For rows of known runs: a conflict leaves the derived columns to ``Derivation.apply``."""


def write_batch(connection: Connection, upserts: Upserts, merged: Merged, documents: Sequence[tuple[Any, ...]]) -> None:
    """All rows of the batch and what is derived from them, in the connection's transaction."""
    derivation = Derivation(connection, upserts, merged)
    run_many(connection, upserts.document, documents)
    run_many(connection, upserts.job, [(key, *row) for key, row in merged.jobs.items()])
    run_many(connection, upserts.dataset, [(key, *row, False) for key, row in merged.datasets.items()])
    new = derivation.new
    derived = {key: run.columns for key, run in new.items()}
    pin_times = {key: run.pin_time for key, run in new.items()}
    run_many(connection, upserts.run, [(key, *row, *derived.get(key, _NO_RUN)) for key, row in merged.runs.items()])
    run_many(connection, upserts.run_state, list(merged.states))
    run_many(connection, upserts.run_io, [(*k, *times, pin_times.get(k[0])) for k, times in merged.io.items()])
    run_many(connection, upserts.facet_value, list(merged.values.items()))
    run_many(connection, upserts.facet, [(*key, *said) for key, said in merged.facets.items()])
    run_many(connection, upserts.design_io, [(*key, *said) for key, said in merged.design.items()])
    run_many(connection, upserts.lifecycle, [(*change, b"") for change in merged.lifecycle])
    run_many(connection, upserts.mark, [(*key, *said) for key, said in sorted(merged.marks.items())])
    write_wants(connection, upserts, merged)
    derivation.apply()
    linked = write_symlinks(connection, upserts, merged.symlinked)
    write_catalog(connection, merged)
    touch(connection, upserts, derivation.touched.union(merged.jobs, merged.datasets, linked))
