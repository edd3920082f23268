"""Every base fact as a line, for the fingerprint: natural names and canonical times, no key of this engine."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import select
from sqlalchemy.engine import Connection

from headwater.collector.facts import Scope
from headwater.collector.merging.keys import run_text
from headwater.collector.questions.fingerprint import base_line
from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.wants import BOTH

_job, _dataset, _run, _io, _facet = (schema.job.c, schema.dataset.c, schema.run.c, schema.run_io.c, schema.facet.c)


def base_lines(connection: Connection) -> Iterator[bytes]:
    yield from _names(connection)
    yield from _runs(connection)
    yield from _facets(connection)
    yield from _designs(connection)
    yield from _lifecycles(connection)
    yield from _marks(connection)
    yield from _wants(connection)


def _names(connection: Connection) -> Iterator[bytes]:
    for kind, table in (("job", schema.job), ("dataset", schema.dataset)):
        columns = (table.c.namespace, table.c.name, table.c.first_time, table.c.last_time)
        for row in connection.execute(select(*columns).where(table.c.first_time.isnot(None))):
            yield base_line(kind, *row)


def _runs(connection: Connection) -> Iterator[bytes]:
    columns = (_run.run, _run.first_time, _run.last_time, _run.job_rank, _run.job_time, _run.job_event)
    joined = select(*columns, _job.namespace, _job.name).join_from(schema.run, schema.job, _job.key == _run.job)
    for run, first, last, rank, time, event_id, namespace, name in connection.execute(joined):
        if first is not None:
            yield base_line("run", run_text(run), first, last)
        yield base_line("run_job", run_text(run), rank, time, event_id.hex(), namespace, name)
    state = schema.run_state.c
    for run, word, time in connection.execute(select(state.run, state.type, state.time)):
        yield base_line("run_state", run_text(run), word, time)
    mention = (_io.run, _io.side, _dataset.namespace, _dataset.name, _io.version, _io.time, _io.commit_time)
    listed = select(*mention).join_from(schema.run_io, schema.dataset, _dataset.key == _io.dataset)
    for run, *parts in connection.execute(listed):
        yield base_line("run_io", run_text(run), *parts)


def _facets(connection: Connection) -> Iterator[bytes]:
    columns = (_facet.scope, _facet.version, _facet.name, _facet.time, _facet.event_id, _facet.value, _facet.owner)
    about_job = (
        select(*columns, _job.namespace, _job.name)
        .join_from(schema.facet, schema.job, _job.key == _facet.owner)
        .where(_facet.scope == int(Scope.JOB))
    )
    about_dataset = (
        select(*columns, _dataset.namespace, _dataset.name)
        .join_from(schema.facet, schema.dataset, _dataset.key == _facet.owner)
        .where(_facet.scope == int(Scope.DATASET))
    )
    about_run = (
        select(*columns, _dataset.namespace, _dataset.name)
        .outerjoin_from(schema.facet, schema.dataset, _dataset.key == _facet.dataset)
        .where(_facet.scope.notin_((int(Scope.JOB), int(Scope.DATASET))))
    )
    for statement, of_run in ((about_job, False), (about_dataset, False), (about_run, True)):
        for scope, version, name, time, event_id, value, owner, namespace, entity in connection.execute(statement):
            run = run_text(owner) if of_run else None
            yield base_line(
                "facet", scope, run, namespace, entity, version, name, time, event_id.hex(), value and value.hex()
            )


def _designs(connection: Connection) -> Iterator[bytes]:
    design = schema.design_io
    columns = (_job.namespace, _job.name, design.c.side, design.c.time, design.c.event_id, design.c.datasets)
    for namespace, name, side, time, event_id, listed in connection.execute(
        select(*columns).join_from(design, schema.job, _job.key == design.c.job)
    ):
        yield base_line("design", namespace, name, side, time, event_id.hex(), listed)


def _lifecycles(connection: Connection) -> Iterator[bytes]:
    """Those of DatasetEvents; a run's are derived."""
    table, previous = schema.lifecycle.c, schema.dataset.alias("previous")
    columns = (_dataset.namespace, _dataset.name, table.time, table.change, previous.c.namespace, previous.c.name)
    statement = (
        select(*columns)
        .join_from(schema.lifecycle, schema.dataset, _dataset.key == table.dataset)
        .outerjoin(previous, previous.c.key == table.previous)
        .where(table.run == b"")
    )
    for row in connection.execute(statement):
        yield base_line("lifecycle", *row)


def _marks(connection: Connection) -> Iterator[bytes]:
    mark = schema.mark.c
    columns = (mark.version, mark.kind, mark.time, mark.event_id, mark.stands, mark.reason, mark.author)
    statement = select(_dataset.namespace, _dataset.name, *columns).join_from(
        schema.mark, schema.dataset, _dataset.key == mark.dataset
    )
    for namespace, name, version, kind, time, event_id, stands, reason, author in connection.execute(statement):
        yield base_line("mark", namespace, name, version, kind, time, event_id.hex(), bool(stands), reason, author)


def _wants(connection: Connection) -> Iterator[bytes]:
    want, link = schema.want.c, schema.want_run.c
    columns = (want.want, want.time, want.event_id, want.partitions, want.comment)
    for key, time, event_id, partitions, comment in connection.execute(select(*columns)):
        yield base_line("want", run_text(key), time, event_id.hex(), partitions, comment)
    for key, role, run in connection.execute(select(link.want, link.role, link.run).where(link.role != BOTH)):
        yield base_line("want_run", run_text(key), role, run_text(run))
