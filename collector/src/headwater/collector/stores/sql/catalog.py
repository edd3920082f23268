"""Keeps the namespaces, and what is deleted: ``job.deleted`` and ``dataset.deleted`` hold the greatest time up to which
the job or dataset, or its namespace, was deleted. It is hidden while it was not seen later.

Nearly every batch brings known namespaces and no deletion; then this is one look-up.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Table, bindparam, case, or_, select, update
from sqlalchemy.engine import Connection

from headwater.collector.merging.catalog import deletions_of, first_seen, namespace_key
from headwater.collector.merging.merge import Merged, SeenRow
from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.query import Query, upsert_into
from headwater.collector.stores.sql.touched import touch_everything


def write_catalog(connection: Connection, merged: Merged) -> None:
    """After jobs and datasets are there."""
    seen = first_seen(merged)
    deleted = deletions_of(merged)
    names = {namespace_key(namespace): namespace for namespace in seen.keys() | deleted.namespaces.keys()}
    known = {names[key]: (first, gone) for key, first, gone in _KNOWN.rows_among(connection, sorted(names))}
    _write_namespaces(connection, seen, merged.arrived, deleted.namespaces, known)
    _delete(connection, schema.job, deleted.jobs.items())
    _delete(connection, schema.dataset, deleted.datasets.items())
    if deleted.namespaces:
        touch_everything(connection)
    for namespace, time in deleted.namespaces.items():
        for table in (schema.job, schema.dataset):
            connection.execute(_later_deletion(table, time).where(table.c.namespace == namespace))
    gone = {namespace: time for namespace, (_, time) in known.items() if time is not None}
    if gone:
        _delete(connection, schema.job, _within(merged.jobs, gone))
        _delete(connection, schema.dataset, _within(merged.datasets, gone))


def _write_namespaces(
    connection: Connection,
    seen: dict[str, str],
    arrived: dict[str, str],
    deleted: dict[str, str],
    known: dict[str, tuple[str, str | None]],
) -> None:
    rows: list[dict[str, Any]] = []
    for namespace in sorted(seen.keys() | deleted.keys(), key=namespace_key):
        first, gone = known.get(namespace, ("~", None))
        now = min(first, seen.get(namespace, "~"))
        now_gone = max(gone or "", deleted.get(namespace, "")) or None
        if (now, now_gone) != (first, gone):
            key = namespace_key(namespace)
            said = arrived.get(namespace, now)
            rows.append({"key": key, "name": namespace, "first_time": now, "arrived_time": said, "deleted": now_gone})
    if rows:
        table = schema.namespace
        insert = upsert_into(connection, table)
        ours, new = table.c, insert.excluded
        earlier = case((new.first_time < ours.first_time, new.first_time), else_=ours.first_time)
        later = case((or_(ours.deleted.is_(None), new.deleted > ours.deleted), new.deleted), else_=ours.deleted)
        merging = {"first_time": earlier, "deleted": later}
        connection.execute(insert.on_conflict_do_update(index_elements=["key"], set_=merging), rows)


def _within(rows: dict[bytes, SeenRow], gone: dict[str, str]) -> Iterable[tuple[bytes, str]]:
    """Of these rows those in a namespace that was deleted, with the time up to which."""
    return ((key, gone[row[0]]) for key, row in rows.items() if row[0] in gone)


def _delete(connection: Connection, table: Table, keys: Iterable[tuple[bytes, str]]) -> None:
    rows = [{"at": key, "until": time, "than": time} for key, time in sorted(keys)]
    if rows:
        until: Any = bindparam("until")
        later = or_(table.c.deleted.is_(None), table.c.deleted < bindparam("than"))
        connection.execute(update(table).where(table.c.key == bindparam("at"), later).values(deleted=until), rows)


def _later_deletion(table: Table, time: str) -> Any:
    return update(table).where(or_(table.c.deleted.is_(None), table.c.deleted < time)).values(deleted=time)


_namespace = schema.namespace.c
_KNOWN = Query(select(_namespace.key, _namespace.first_time, _namespace.deleted), among=_namespace.key)
