"""Keeps ``job_edge`` and the jobs' windows: per job, side and dataset the first event time of the last run that had it
(rule 8)."""

from __future__ import annotations

from sqlalchemy import bindparam, exists, func, select, update
from sqlalchemy.engine import Connection

from headwater.collector.merging.edges import EdgeKey, window_start
from headwater.collector.merging.runs import RunBase
from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.query import Query, run_many
from headwater.collector.stores.sql.upserts import Upserts


class EdgeChanges:
    """The edges that a batch adds, and those to be counted again since a run's first event or its job changed."""

    def __init__(self) -> None:
        self._last: dict[EdgeKey, str] = {}
        self._recount: set[EdgeKey] = set()

    def add(self, base: RunBase, first_before: str | None, job_before: bytes | None) -> None:
        """``first_before``, ``job_before``: the run's row before the batch; None for a new run."""
        if base.first_time is None:
            return
        moved = first_before is not None and (first_before != base.first_time or job_before != base.job)
        for side, dataset in base.listed:
            edge = (base.job, side, dataset)
            if self._last.get(edge, "") < base.first_time:
                self._last[edge] = base.first_time
            if moved and job_before is not None:
                self._recount.update((edge, (job_before, side, dataset)))

    def write(self, connection: Connection, upserts: Upserts) -> None:
        added = sorted((*edge, last) for edge, last in self._last.items() if edge not in self._recount)
        run_many(connection, upserts.job_edge, added)
        if self._recount:  # one at a time: what another one deletes and counts is not there to be deleted by us
            list(_LOCKED.rows_among(connection, sorted({edge[0] for edge in self._recount})))
        for edge in sorted(self._recount):
            _count_again(connection, upserts, edge)
        self._write_since(connection, upserts)

    def _write_since(self, connection: Connection, upserts: Upserts) -> None:
        recounted = {edge[0] for edge in self._recount}
        for job in recounted:
            newest = _NEWEST.row(connection, job=job)
            _SET_SINCE.run(connection, at=job, since=newest and newest[0] and window_start(newest[0]))
        latest: dict[bytes, str] = {}
        for (job, _, _), last in self._last.items():
            if job not in recounted:
                latest[job] = max(latest.get(job, ""), last)
        rows = [(since := window_start(last), job, since) for job, last in sorted(latest.items())]
        run_many(connection, upserts.raise_edges_since, rows)


def _count_again(connection: Connection, upserts: Upserts, edge: EdgeKey) -> None:
    run_many(connection, upserts.delete_job_edge, [edge])
    job, side, dataset = edge
    last = _LAST.row(connection, job=job, side=side, dataset=dataset)
    if last and last[0] is not None:
        run_many(connection, upserts.job_edge, [(*edge, last[0])])


_edge, _io, _job, _run = schema.job_edge.c, schema.run_io.c, schema.job.c, schema.run.c
_LOCKED = Query(select(_job.key).order_by(_job.key).with_for_update(), among=_job.key)
"""SQLite has one writer and ignores the lock."""
_NEWEST = Query(select(func.max(_edge.last_time)).where(_edge.job == bindparam("job", type_=_edge.job.type)))
_LAST = Query(  # from the job's newest run back, seldom far: one look-up a run, and no index of its own
    select(_run.first_time)
    .where(
        _run.job == bindparam("job"),
        _run.first_time.isnot(None),
        exists().where(_io.run == _run.run, _io.side == bindparam("side"), _io.dataset == bindparam("dataset")),
    )
    .order_by(_run.first_time.desc())
    .limit(1)
)
_SET_SINCE = Query(update(schema.job).where(_job.key == bindparam("at")).values(edges_since=bindparam("since")))
