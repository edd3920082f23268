"""One batch in one transaction, beside other collectors that do the same.

First the runs, see ``claims``; then what belongs to runs; last the rows that many batches share (datasets, jobs, their
facets and edges), so that others wait for those only as long as the end of this transaction takes. Each statement takes
its rows in the order of their keys. What is left of deadlocks the server finds; then the batch is tried again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any

from sqlalchemy.engine import Connection

from headwater.collector.facts import Scope
from headwater.collector.merging.catalog import deletions_of
from headwater.collector.merging.merge import Merged
from headwater.collector.merging.runs import DerivedRun, from_batch
from headwater.collector.stores.sql.backends.base import DocumentRow
from headwater.collector.stores.sql.backends.postgres.claims import (
    BASE,
    Locked,
    insert_runs,
    known_runs,
    lock_runs,
)
from headwater.collector.stores.sql.backends.postgres.statements import BulkUpserts
from headwater.collector.stores.sql.backends.postgres.tally import add_documents
from headwater.collector.stores.sql.bases import read_facts
from headwater.collector.stores.sql.catalog import write_catalog
from headwater.collector.stores.sql.derived import Before, Derivation
from headwater.collector.stores.sql.query import driver_cursor, run_many
from headwater.collector.stores.sql.symlinks import write_symlinks
from headwater.collector.stores.sql.touched import touch
from headwater.collector.stores.sql.wants import write_wants

_PIN_TIME = BASE + 4
"""In a run's row without its key."""


def write_batch(connection: Connection, upserts: BulkUpserts, merged: Merged, documents: Sequence[DocumentRow]) -> None:
    """See ``Backend.write_batch``."""
    runs = _Runs(connection, upserts, merged)
    fresh = _write_documents(connection, upserts, _once(documents))
    runs.write_facts()
    runs.derive_known()
    runs.write_derived()
    _write_shared(connection, upserts, merged, runs)
    add_documents(driver_cursor(connection), fresh)


class _Runs(Derivation):
    """The runs of the batch, all of them ours until the transaction ends."""

    def __init__(self, connection: Connection, upserts: BulkUpserts, merged: Merged) -> None:
        self._connection, self._upserts, self._merged = connection, upserts, merged
        self._bulk = upserts
        fresh = self._derive(from_batch(merged, known_runs(connection, merged)))
        rows = {run: (*merged.runs[run], *derived.columns) for run, derived in fresh.items()}
        inserted = insert_runs(connection, upserts, rows)
        self.new = {run: fresh[run] for run in inserted}
        self._locked = lock_runs(connection, merged, sorted(merged.runs.keys() - inserted))
        self._before = {run: Before(row.before[0], row.before[BASE - 1]) for run, row in self._locked.items()}
        self._known: dict[bytes, DerivedRun] = {}
        self.touched = {job for locked in self._locked.values() for job in (locked.before[BASE - 1], locked.merged[5])}

    def write_facts(self) -> None:
        """Base facts that belong to runs."""
        connection, upserts, merged = self._connection, self._upserts, self._merged
        pins = {run: derived.pin_time for run, derived in self.new.items()}
        pins |= {run: locked.before[_PIN_TIME] for run, locked in self._locked.items()}
        run_many(connection, upserts.run_state, sorted(merged.states))
        run_many(connection, upserts.run_io, [(*key, *merged.io[key], pins.get(key[0])) for key in sorted(merged.io)])
        run_many(connection, upserts.facet_value, sorted(merged.values.items()))
        run_many(connection, upserts.facet, _facets(merged, of_runs=True))

    def derive_known(self) -> None:
        """Those that the batch says something about that counts; afterwards their rows are right."""
        touched = self._touched()
        heads = {run: (locked.merged[0], locked.merged[5]) for run, locked in touched.items()}
        self._known = self._derive(read_facts(self._connection, heads))
        rows, pins = [], []
        for run, derived in self._known.items():
            before, now = touched[run].before, (*touched[run].merged, *derived.columns)
            if before != now:
                rows.append((*now, run))
            if before[_PIN_TIME] != derived.pin_time:
                pins.append((derived.pin_time, run, derived.pin_time))
        run_many(self._connection, self._bulk.set_run, rows)
        run_many(self._connection, self._upserts.update_io, pins)
        self._before = {run: self._before[run] for run in touched}

    def _touched(self) -> dict[bytes, Locked]:
        merged = self._merged
        said = {state[0] for state in merged.states} | {key[0] for key in merged.io}
        said |= {facet[0] for facet in merged.derived_keys()}
        return {
            run: locked
            for run, locked in self._locked.items()
            if run in said or tuple(locked.merged) != locked.before[:BASE]
        }

    def write_derived(self) -> None:
        """Generations and lifecycle changes."""
        self.all = self.new | self._known
        self._write_generations({key: time for run in self.all.values() for key, time in run.generations.items()})
        self._write_changes({change for run in self.all.values() for change in run.changes})

    def previous_names(self) -> dict[bytes, tuple[Any, ...]]:
        """Rows of ``dataset`` for the datasets that were renamed."""
        return {key: (*name, None, None) for run in self.all.values() for key, name in run.base.previous.items()}


def _write_shared(connection: Connection, upserts: BulkUpserts, merged: Merged, runs: _Runs) -> None:
    run_many(connection, upserts.facet, _facets(merged, of_runs=False))
    run_many(connection, upserts.design_io, [(*key, *said) for key, said in sorted(merged.design.items())])
    run_many(connection, upserts.lifecycle, [(*change, b"") for change in sorted(merged.lifecycle)])
    run_many(connection, upserts.mark, [(*key, *said) for key, said in sorted(merged.marks.items())])
    write_wants(connection, upserts, merged)
    datasets = runs.previous_names() | {key: tuple(row) for key, row in merged.datasets.items()}
    run_many(connection, upserts.dataset, [(key, *row, False) for key, row in sorted(datasets.items())])
    run_many(connection, upserts.job, [(key, *row) for key, row in sorted(merged.jobs.items())])
    runs.write_edges(runs.all)
    linked = write_symlinks(connection, upserts, sorted(merged.symlinked))
    _lock_deletions(connection, exclusive=bool(deletions_of(merged).namespaces))
    write_catalog(connection, merged)
    touch(connection, upserts, runs.touched.union(merged.jobs, datasets, linked))


def _lock_deletions(connection: Connection, *, exclusive: bool) -> None:
    """Whoever deletes a namespace sees all jobs and datasets of other batches, or they see the deletion."""
    function = "pg_advisory_xact_lock" if exclusive else "pg_advisory_xact_lock_shared"
    driver_cursor(connection).execute(f"SELECT {function}(%s)", (_DELETING,))


def _write_documents(connection: Connection, upserts: Any, documents: list[DocumentRow]) -> int:
    """How many are new."""
    if not documents:
        return 0
    written = upserts.document.run(driver_cursor(connection), documents)
    return sum(row[0] for row in written.fetchall())


_DELETING = 0x68656164_64656C65
"""The advisory lock, held until the transaction ends."""
_OF_THINGS = (int(Scope.JOB), int(Scope.DATASET))


def _facets(merged: Merged, *, of_runs: bool) -> list[tuple[Any, ...]]:
    rows = ((*key, *said) for key, said in merged.facets.items() if (key[1] not in _OF_THINGS) == of_runs)
    return sorted(rows, key=itemgetter(0, 1, 2, 3, 4))


def _once(documents: Iterable[DocumentRow]) -> list[DocumentRow]:
    """Each event once, where it came first; of two spellings the lesser bytes."""
    found: dict[bytes, DocumentRow] = {}
    for row in documents:
        before = found.setdefault(row[0], row)
        if row[-1] < before[-1]:
            found[row[0]] = (*before[:-1], row[-1])
    return list(found.values())
