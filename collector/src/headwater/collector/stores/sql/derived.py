"""Recomputes, in the transaction of a batch, what is derived from the base facts that the batch touched.

A run that is new with the batch is derived from the batch alone and inserted whole; one that stood there before is read
back after the upserts. Everything here is a function of base facts, so the order of batches does not matter.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from sqlalchemy import select
from sqlalchemy.engine import Connection

from headwater.collector.merging.merge import Merged
from headwater.collector.merging.runs import Change, DerivedRun, GenerationKey, RunBase, derive_run, from_batch
from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.bases import RUNS, read_back
from headwater.collector.stores.sql.edges import EdgeChanges
from headwater.collector.stores.sql.query import Query, run_many
from headwater.collector.stores.sql.upserts import Upserts
from headwater.shared.event import Name


class Before(NamedTuple):
    """A run's row before the batch."""

    first_time: str | None
    job: bytes


class Derivation:
    """One batch's derivation: made ahead of the upserts, ``new`` goes into them, ``apply`` runs after them."""

    def __init__(self, connection: Connection, upserts: Upserts, merged: Merged) -> None:
        self._connection, self._upserts, self._merged = connection, upserts, merged
        self._before = self._rows_before()
        self.new = self._derive(from_batch(merged, self._before.keys()))
        self.touched: set[bytes] = set()
        """Jobs and datasets of which something changed that is derived, see ``touched``."""

    def _rows_before(self) -> dict[bytes, Before]:
        return {row[0]: Before(row[1], row[2]) for row in RUNS.rows_among(self._connection, self._merged.runs)}

    def _derive(self, bases: dict[bytes, RunBase]) -> dict[bytes, DerivedRun]:
        jobs = self._job_names({base.job for base in bases.values()})
        return {key: derive_run(key, base, jobs[base.job]) for key, base in bases.items()}

    def _job_names(self, keys: set[bytes]) -> dict[bytes, Name]:
        rows = self._merged.jobs
        names = {key: Name(rows[key][0], rows[key][1]) for key in keys if key in rows}
        missing = keys - names.keys()
        return names | {row[0]: Name(row[1], row[2]) for row in _JOB_NAMES.rows_among(self._connection, missing)}

    def apply(self) -> None:
        """Writes all that is derived but what went into the rows of new runs."""
        known = self._derive(read_back(self._connection, self._before.keys())) if self._before else {}
        self._update(known)
        runs = self.new | known
        self._write_generations({key: time for run in runs.values() for key, time in run.generations.items()})
        self._name_previous({key: name for run in runs.values() for key, name in run.base.previous.items()})
        self._write_changes({change for run in runs.values() for change in run.changes})
        self.write_edges(runs)

    def write_edges(self, runs: Mapping[bytes, DerivedRun]) -> None:
        edges = EdgeChanges()
        for key, run in runs.items():
            before = self._before.get(key)
            edges.add(run.base, before and before.first_time, before and before.job)
            self.touched.add(run.base.job)
            if before:
                self.touched.add(before.job)
        edges.write(self._connection, self._upserts)

    def _update(self, known: dict[bytes, DerivedRun]) -> None:
        run_many(self._connection, self._upserts.update_run, [(*run.columns, key) for key, run in known.items()])
        run_many(
            self._connection, self._upserts.update_io, [(run.pin_time, key, run.pin_time) for key, run in known.items()]
        )

    def _write_generations(self, now: dict[GenerationKey, str | None]) -> None:
        found = _GENERATIONS.rows_among(self._connection, self._before)
        before: dict[GenerationKey, str | None] = {(row[0], row[1], row[2]): row[3] for row in found}
        gone = list(before.keys() - now.keys())
        run_many(self._connection, self._upserts.delete_generation, gone)
        fresh = [(*key, time) for key, time in now.items() if key not in before or before[key] != time]
        run_many(self._connection, self._upserts.generation, fresh)
        self.touched.update(key[0] for key in gone)
        self.touched.update(row[0] for row in fresh)

    def _name_previous(self, names: dict[bytes, Name]) -> None:
        """So that their keys can be read back."""
        rows = [(key, *name, None, None, False) for key, name in names.items()]
        run_many(self._connection, self._upserts.dataset, rows)

    def _write_changes(self, now: set[Change]) -> None:
        before = set(_CHANGES.rows_among(self._connection, self._before))
        run_many(self._connection, self._upserts.delete_lifecycle, list(before - now))
        run_many(self._connection, self._upserts.lifecycle, sorted(now))
        self.touched.update(key for change in now ^ before for key in (change[0], change[3]) if key)


_generation, _lifecycle = schema.generation.c, schema.lifecycle.c
_JOB_NAMES = Query(select(schema.job.c.key, schema.job.c.namespace, schema.job.c.name), among=schema.job.c.key)
_GENERATIONS = Query(
    select(_generation.dataset, _generation.version, _generation.run, _generation.commit_time), among=_generation.run
)
_CHANGES = Query(
    select(_lifecycle.dataset, _lifecycle.time, _lifecycle.change, _lifecycle.previous, _lifecycle.run),
    among=_lifecycle.run,
)
