"""Keeps ``job_edge`` and the jobs' windows: per job, side and dataset the first event time of the last run that had it
(rule 8)."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import and_, delete, func, select, update
from sqlalchemy.engine import Connection

from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.bases import RunBase
from headwater.collector.stores.sql.upserts import Upserts, execute

EDGE_WINDOW = timedelta(days=30)
"""How long before a job's latest run an edge may have been seen last."""
EdgeKey = tuple[bytes, int, bytes]
"""(job, side, dataset)."""


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
        added = [(*edge, last) for edge, last in self._last.items() if edge not in self._recount]
        execute(connection, upserts.job_edge, added)
        for edge in sorted(self._recount):
            _count_again(connection, edge)
        self._write_since(connection, upserts)

    def _write_since(self, connection: Connection, upserts: Upserts) -> None:
        table = schema.job_edge
        recounted = {edge[0] for edge in self._recount}
        for job in recounted:
            newest = connection.execute(select(func.max(table.c.last_time)).where(table.c.job == job)).scalar()
            since = newest and window_start(newest)
            connection.execute(update(schema.job).where(schema.job.c.key == job).values(edges_since=since))
        latest: dict[bytes, str] = {}
        for (job, _, _), last in self._last.items():
            if job not in recounted:
                latest[job] = max(latest.get(job, ""), last)
        rows = [(since := window_start(last), job, since) for job, last in latest.items()]
        execute(connection, upserts.raise_edges_since, rows)


def _count_again(connection: Connection, edge: EdgeKey) -> None:
    job, side, dataset = edge
    table, io = schema.job_edge, schema.run_io
    here = and_(table.c.job == job, table.c.side == side, table.c.dataset == dataset)
    connection.execute(delete(table).where(here))
    found = select(func.max(io.c.first_time)).where(io.c.job == job, io.c.side == side, io.c.dataset == dataset)
    last = connection.execute(found).scalar()
    if last is not None:
        connection.execute(table.insert().values(job=job, side=side, dataset=dataset, last_time=last))


def window_start(last: str) -> str:
    """The canonical time ``EDGE_WINDOW`` before ``last``."""
    try:
        start = datetime.fromisoformat(last[:19]) - EDGE_WINDOW
    except OverflowError:
        return "0001-01-01T00:00:00.000000000Z"
    return start.isoformat() + last[19:]
