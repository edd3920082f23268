"""Keeps ``touched``: what an answer was made of, and whether any of it may have changed since, see ``Watches``.

Every batch stamps the jobs and datasets of which it may have changed anything that a reader returns, in its own
transaction. A stamp is a random number, so that the sum of many tells whether one of them is another now.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterable

from sqlalchemy import select
from sqlalchemy.engine import Connection

from headwater.collector.merging.keys import NO_KEY, name_key
from headwater.collector.stores.reading import Watch
from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.query import Query, run_many, upsert_into
from headwater.collector.stores.sql.upserts import Upserts
from headwater.shared.event import Name

EVERYTHING = NO_KEY
_touched, _edge = schema.touched.c, schema.job_edge.c
_STAMPS = Query(select(_touched.stamp), among=_touched.key)
_JOBS_AROUND = Query(select(_edge.job), among=_edge.dataset)
_DATASETS_AROUND = Query(select(_edge.dataset), among=_edge.job)


def touch(connection: Connection, upserts: Upserts, keys: Iterable[bytes]) -> None:
    """Stamps these jobs and datasets."""
    stamp = _new_stamp()
    run_many(connection, upserts.touched, [(key, stamp) for key in sorted(keys)])


def touch_everything(connection: Connection) -> None:
    """For what is seldom: nothing that was watched counts as unchanged afterwards."""
    insert = upsert_into(connection, schema.touched)
    stamped = insert.on_conflict_do_update(index_elements=["key"], set_={"stamp": insert.excluded.stamp})
    connection.execute(stamped, {"key": EVERYTHING, "stamp": _new_stamp()})


def _new_stamp() -> int:
    return secrets.randbits(63)


def watch(connection: Connection, jobs: Collection[Name], datasets: Collection[Name]) -> Watch:
    """With all that have an edge to them, also one that is too old to count or whose job is deleted: it may come back
    by what happens at its other end alone."""
    ours, theirs = [name_key(name) for name in jobs], [name_key(name) for name in datasets]
    keys = {EVERYTHING, *ours, *theirs}
    keys.update(row[0] for row in _JOBS_AROUND.rows_among(connection, theirs))
    keys.update(row[0] for row in _DATASETS_AROUND.rows_among(connection, ours))
    return Watch(tuple(keys), _sum(connection, keys))


def unchanged(connection: Connection, watched: Watch) -> bool:
    return _sum(connection, watched.keys) == watched.stamps


def _sum(connection: Connection, keys: Collection[bytes]) -> int:
    """A key that was never stamped counts as 0."""
    return sum(row[0] for row in _STAMPS.rows_among(connection, keys))
