"""Recomputes, in the transaction of a batch, what is derived from the base facts that the batch touched.

A run that the batch made is derived from the batch alone; one that stood there before is read back. Everything here is
a function of base facts, so the order of batches does not matter.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import orjson
from sqlalchemy import and_, bindparam, delete, func, or_, select, update
from sqlalchemy.engine import Connection

from headwater.collector.derive.logical import logical_key
from headwater.collector.derive.outputs import derive_written
from headwater.collector.derive.state import StateView, derive_state
from headwater.collector.facts import Scope, Side
from headwater.collector.projection import nominal_start
from headwater.collector.stores.reading import IO, Facets
from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.keys import NO_KEY, name_key, run_key, run_text
from headwater.collector.stores.sql.merge import DERIVED_FROM, Merged
from headwater.collector.stores.sql.upserts import Upserts, execute
from headwater.shared.codec import run_uuid
from headwater.shared.event import Name

EDGE_WINDOW = timedelta(days=30)
"""Rule 8: how long before a job's latest run an edge may have been seen last."""
LIFECYCLE_FACET = "lifecycleStateChange"
NO_GENERATION = frozenset({"DROP", "RENAME"})
"""Lifecycle changes of an output that publish no generation (rule 10)."""
CHUNK = 400
"""Keys in one IN list."""


class RunBase(NamedTuple):
    """The base facts of a run that its derived values come from."""

    first_time: str | None
    job: bytes
    states: list[tuple[str, str]]
    io: list[tuple[int, bytes, str, str | None]]
    """(side, dataset, version, commit time)."""
    facets: Facets
    lifecycle: dict[bytes, tuple[str, bytes]]
    """Output dataset to (change, previous)."""


class Before(NamedTuple):
    """A run's row before the batch."""

    first_time: str | None
    job: bytes
    pin_time: str | None


def chunks(keys: Iterable[Any]) -> Iterator[list[Any]]:
    ordered = list(keys)
    for start in range(0, len(ordered), CHUNK):
        yield ordered[start : start + CHUNK]


class Derivation:
    """One batch's derivation; ``before`` is read ahead of the upserts, ``apply`` runs after them."""

    def __init__(self, connection: Connection, upserts: Upserts, merged: Merged) -> None:
        self._connection, self._upserts, self._merged = connection, upserts, merged
        self._before = self._rows_before()

    def _rows_before(self) -> dict[bytes, Before]:
        table, found = schema.run, {}
        for keys in chunks(self._merged.rederived):
            columns = (table.c.run, table.c.first_time, table.c.job, table.c.pin_time)
            for row in self._connection.execute(select(*columns).where(table.c.run.in_(keys))):
                found[row[0]] = Before(row[1], row[2], row[3])
        return found

    def apply(self) -> None:
        self._write_runs(self._bases())
        self._write_symlinks()

    def _bases(self) -> dict[bytes, RunBase]:
        known = self._before.keys()
        bases = _from_batch(self._merged, known)
        if known:
            bases |= _read_back(self._connection, known)
        return bases

    def _write_runs(self, bases: dict[bytes, RunBase]) -> None:
        jobs = _job_names(self._connection, self._merged, {base.job for base in bases.values()})
        rows: list[dict[str, Any]] = []
        io_rows: list[dict[str, Any]] = []
        generations: dict[tuple[bytes, str, bytes], str | None] = {}
        changes: set[tuple[bytes, str, str, bytes, bytes]] = set()
        edges = _Edges()
        fresh_io = {io[0] for io in self._merged.io}
        for key, base in bases.items():
            state = derive_state(base.states)
            pin_time = state.started or base.first_time
            rows.append(_derived_row(key, base, state, pin_time, jobs[base.job]))
            before = self._before.get(key)
            now = Before(base.first_time, base.job, pin_time)
            if base.io and (now != before or key in fresh_io):
                io_rows.append({"b_run": key, "job": base.job, "first_time": base.first_time, "pin_time": pin_time})
            edges.add(base, before)
            self._outputs(key, base, state, generations, changes)
        if rows:
            self._connection.execute(_UPDATE_RUN, rows)
        if io_rows:
            self._connection.execute(_UPDATE_IO, io_rows)
        self._write_generations(generations)
        self._write_lifecycle(changes)
        edges.write(self._connection, self._upserts)

    def _outputs(
        self,
        key: bytes,
        base: RunBase,
        state: StateView,
        generations: dict[tuple[bytes, str, bytes], str | None],
        changes: set[tuple[bytes, str, str, bytes, bytes]],
    ) -> None:
        mentions = [
            IO(Side(side), Name("", dataset.hex()), version, commit)
            for side, dataset, version, commit in base.io
            if side == Side.OUTPUT
        ]
        if not mentions:
            return
        dropped = {Name("", dataset.hex()) for dataset in base.lifecycle}
        written = derive_written(run_text(key), mentions, state, dropped)
        for claim in written.claims:
            generations[bytes.fromhex(claim.dataset.name), claim.version, key] = claim.commit_time
        for name, time in written.lifecycle:
            dataset = bytes.fromhex(name.name)
            change, previous = base.lifecycle[dataset]
            if time:
                changes.add((dataset, time, change, previous, key))

    def _write_generations(self, now: dict[tuple[bytes, str, bytes], str | None]) -> None:
        table = schema.generation
        before: dict[tuple[bytes, str, bytes], str | None] = {}
        for keys in chunks(self._before):
            for row in self._connection.execute(select(table).where(table.c.run.in_(keys))):
                before[row[0], row[1], row[2]] = row[3]
        gone = [{"b_dataset": d, "b_version": v, "b_run": r} for d, v, r in before.keys() - now.keys()]
        if gone:
            self._connection.execute(_DELETE_GENERATION, gone)
        fresh = [(*key, time) for key, time in now.items() if key not in before or before[key] != time]
        execute(self._connection, self._upserts.generation, fresh)

    def _write_lifecycle(self, now: set[tuple[bytes, str, str, bytes, bytes]]) -> None:
        table = schema.lifecycle
        for keys in chunks(self._before):
            before = {tuple(row) for row in self._connection.execute(select(table).where(table.c.run.in_(keys)))}
            for gone in before - now:
                self._connection.execute(
                    delete(table).where(and_(*(c == v for c, v in zip(table.c, gone, strict=True))))
                )
        execute(self._connection, self._upserts.lifecycle, sorted(now))

    def _write_symlinks(self) -> None:
        """A dataset's links are those of its current symlinks facet."""
        facet, value, table = schema.facet, schema.facet_value, schema.symlink
        for keys in chunks(self._merged.symlinked):
            said = (
                select(facet.c.owner, value.c.value)
                .join(value, value.c.key == facet.c.value)
                .where(facet.c.owner.in_(keys), facet.c.scope == int(Scope.DATASET), facet.c.name == "symlinks")
            )
            links: set[tuple[bytes, bytes]] = set()
            named = Merged()
            for owner, raw in self._connection.execute(said):
                for identifier in orjson.loads(raw).get("identifiers") or ():
                    other = Name(identifier["namespace"], identifier["name"])
                    if name_key(other) != owner:
                        links.add((owner, named.name_dataset(other)))
            execute(self._connection, self._upserts.dataset, [(k, *row, False) for k, row in named.datasets.items()])
            self._connection.execute(delete(table).where(table.c.dataset.in_(keys)))
            execute(self._connection, self._upserts.symlink, sorted(links))
            carriers = {owner for owner, _ in links}
            rows = [{"b_key": key, "carrier": key in carriers} for key in keys]
            self._connection.execute(_UPDATE_CARRIER, rows)


def _derived_row(key: bytes, base: RunBase, state: StateView, pin_time: str | None, job: Name) -> dict[str, Any]:
    parent = base.facets.get("parent") or {}
    return {
        "b_run": key,
        "state": state.state,
        "contradiction": state.contradiction,
        "started": state.started,
        "ended": state.ended,
        "pin_time": pin_time,
        "nominal_start": nominal_start(base.facets.get("nominalTime")),
        "logical_key": logical_key(job, base.facets),
        "parent": _linked(parent, key),
        "root": _linked(parent.get("root"), key),
    }


def _linked(link: dict[str, Any] | None, own: bytes) -> bytes | None:
    """A run that names itself has no parent (rule 9)."""
    key = run_key(run_uuid(link["run"]["runId"])) if link else None
    return None if key == own else key


class _Edges:
    """The job edges that the batch adds, and those to be counted again since a run's first event or job changed."""

    def __init__(self) -> None:
        self._last: dict[tuple[bytes, int, bytes], str] = {}
        self._recount: set[tuple[bytes, int, bytes]] = set()

    def add(self, base: RunBase, before: Before | None) -> None:
        if base.first_time is None:
            return
        moved = (
            before is not None
            and before.first_time is not None
            and (before.first_time != base.first_time or before.job != base.job)
        )
        for side, dataset, _, _ in base.io:
            if side == Side.NAMED:
                continue
            edge = (base.job, side, dataset)
            if self._last.get(edge, "") < base.first_time:
                self._last[edge] = base.first_time
            if moved and before:
                self._recount.update((edge, (before.job, side, dataset)))

    def write(self, connection: Connection, upserts: Upserts) -> None:
        added = [(*edge, last) for edge, last in self._last.items() if edge not in self._recount]
        execute(connection, upserts.job_edge, added)
        table, io = schema.job_edge, schema.run_io
        for job, side, dataset in sorted(self._recount):
            here = and_(table.c.job == job, table.c.side == side, table.c.dataset == dataset)
            connection.execute(delete(table).where(here))
            last = connection.execute(
                select(func.max(io.c.first_time)).where(io.c.job == job, io.c.side == side, io.c.dataset == dataset)
            ).scalar()
            if last is not None:
                connection.execute(table.insert().values(job=job, side=side, dataset=dataset, last_time=last))
        self._write_since(connection)

    def _write_since(self, connection: Connection) -> None:
        latest: dict[bytes, str] = {}
        for (job, _, _), last in self._last.items():
            latest[job] = max(latest.get(job, ""), last)
        table = schema.job_edge
        recounted = {edge[0] for edge in self._recount}
        for job in recounted:
            newest = connection.execute(select(func.max(table.c.last_time)).where(table.c.job == job)).scalar()
            since = newest and window_start(newest)
            connection.execute(update(schema.job).where(schema.job.c.key == job).values(edges_since=since))
        rows = [{"b_key": job, "b_since": window_start(last)} for job, last in latest.items() if job not in recounted]
        if rows:
            connection.execute(_RAISE_SINCE, rows)


def window_start(last: str) -> str:
    """The canonical time ``EDGE_WINDOW`` before ``last``."""
    try:
        start = datetime.fromisoformat(last[:19]) - EDGE_WINDOW
    except OverflowError:
        return "0001-01-01T00:00:00.000000000Z"
    return start.isoformat() + last[19:]


def _from_batch(merged: Merged, known: Collection[bytes]) -> dict[bytes, RunBase]:
    """The runs that the batch made, from the batch."""
    bases = {run: RunBase(row[0], row[5], [], [], {}, {}) for run, row in merged.runs.items() if run not in known}
    for run, time, word in merged.states:
        if run in bases:
            bases[run].states.append((word, time))
    for (run, side, dataset, version), (_, commit_time) in merged.io.items():
        if run in bases:
            bases[run].io.append((side, dataset, version, commit_time))
    for (owner, scope, dataset, _, name), (_, _, value) in merged.facets.items():
        if value is None or owner not in bases:
            continue
        if scope == Scope.RUN and name in DERIVED_FROM:
            bases[owner].facets[name] = orjson.loads(merged.values[value])
        elif scope == Scope.OUTPUT and name == LIFECYCLE_FACET:
            _add_lifecycle(bases[owner], dataset, orjson.loads(merged.values[value]))
    return bases


def _add_lifecycle(base: RunBase, dataset: bytes, facet: dict[str, Any]) -> None:
    change = facet["lifecycleStateChange"].upper()
    if change in NO_GENERATION:
        previous = facet.get("previousIdentifier")
        key = name_key(Name(previous["namespace"], previous["name"])) if previous else NO_KEY
        base.lifecycle[dataset] = max(base.lifecycle.get(dataset, ("", NO_KEY)), (change, key))


def _read_back(connection: Connection, known: Collection[bytes]) -> dict[bytes, RunBase]:
    """The runs that stood there before, with the batch merged in."""
    bases: dict[bytes, RunBase] = {}
    run, states, io, facet, value = (schema.run, schema.run_state, schema.run_io, schema.facet, schema.facet_value)
    for keys in chunks(known):
        for row in connection.execute(select(run.c.run, run.c.first_time, run.c.job).where(run.c.run.in_(keys))):
            bases[row[0]] = RunBase(row[1], row[2], [], [], {}, {})
        for key, time, word in connection.execute(select(states).where(states.c.run.in_(keys))):
            bases[key].states.append((word, time))
        columns = (io.c.run, io.c.side, io.c.dataset, io.c.version, io.c.commit_time)
        for key, *mention in connection.execute(select(*columns).where(io.c.run.in_(keys))):
            bases[key].io.append((mention[0], mention[1], mention[2], mention[3]))
        facets = (
            select(facet.c.owner, facet.c.scope, facet.c.dataset, facet.c.name, value.c.value)
            .join(value, value.c.key == facet.c.value)
            .where(
                facet.c.owner.in_(keys),
                facet.c.scope.in_((int(Scope.RUN), int(Scope.OUTPUT))),
                facet.c.name.in_((*DERIVED_FROM, LIFECYCLE_FACET)),
            )
        )
        for key, scope, dataset, name, raw in connection.execute(facets):
            if scope == Scope.RUN:
                bases[key].facets[name] = orjson.loads(raw)
            elif name == LIFECYCLE_FACET:
                _add_lifecycle(bases[key], dataset, orjson.loads(raw))
    return bases


def _job_names(connection: Connection, merged: Merged, keys: set[bytes]) -> dict[bytes, Name]:
    names = {key: Name(merged.jobs[key][0], merged.jobs[key][1]) for key in keys if key in merged.jobs}
    table = schema.job
    for missing in chunks(keys - names.keys()):
        rows = connection.execute(select(table.c.key, table.c.namespace, table.c.name).where(table.c.key.in_(missing)))
        names |= {row[0]: Name(row[1], row[2]) for row in rows}
    return names


def _set(table: Any, key: str, columns: Sequence[str]) -> Any:
    return update(table).where(table.c[key] == bindparam(f"b_{key}")).values({c: bindparam(c) for c in columns})


_UPDATE_RUN = _set(
    schema.run,
    "run",
    [
        "state",
        "contradiction",
        "started",
        "ended",
        "pin_time",
        "nominal_start",
        "logical_key",
        "parent",
        "root",
    ],
)
_UPDATE_IO = _set(schema.run_io, "run", ["job", "first_time", "pin_time"])
_UPDATE_CARRIER = _set(schema.dataset, "key", ["carrier"])
_RAISE_SINCE = (
    update(schema.job)
    .where(
        schema.job.c.key == bindparam("b_key"),
        or_(schema.job.c.edges_since.is_(None), schema.job.c.edges_since < bindparam("b_since")),
    )
    .values(edges_since=bindparam("b_since"))
)
_DELETE_GENERATION = delete(schema.generation).where(
    and_(
        schema.generation.c.dataset == bindparam("b_dataset"),
        schema.generation.c.version == bindparam("b_version"),
        schema.generation.c.run == bindparam("b_run"),
    )
)
