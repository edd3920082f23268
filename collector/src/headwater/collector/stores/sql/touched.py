"""Keeps ``touched``: whether what something was made of may have changed since, see ``Watches``.

Every batch stamps the jobs and datasets of which it may have changed anything that a reader returns, in its own
transaction. A stamp is a random number, so that the sum of many tells whether one of them is another now.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterable, Mapping, Sequence

from sqlalchemy import select
from sqlalchemy.engine import Connection

from headwater.collector.merging.keys import NO_KEY, name_key
from headwater.collector.stores.reading import Seen, Watch
from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.query import Query, rows_of_all, run_many, upsert_into
from headwater.collector.stores.sql.upserts import Upserts

EVERYTHING = NO_KEY
_touched, _edge = schema.touched.c, schema.job_edge.c
_STAMPS = Query(select(_touched.key, _touched.stamp), among=_touched.key)
_JOBS_AROUND = Query(select(_edge.dataset, _edge.job), among=_edge.dataset)
_DATASETS_AROUND = Query(select(_edge.job, _edge.dataset), among=_edge.job)


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


def watch(connection: Connection, seen: Sequence[Seen]) -> list[Watch]:
    """Whose edges were seen is watched with all that have an edge to it, also one that is too old to count or whose
    job is deleted: it may come back by what happens at its other end alone."""
    around = _around(connection, {name_key(name) for each in seen for name in each.edges_of})
    watched = [
        {EVERYTHING}.union(
            map(name_key, each.jobs),
            map(name_key, each.datasets),
            *(around.get(name_key(name), ()) for name in each.edges_of),
        )
        for each in seen
    ]
    stamps = _stamps(connection, watched)
    return [Watch(tuple(keys), _sum(keys, stamps)) for keys in watched]


def unchanged(connection: Connection, watched: Sequence[Watch]) -> list[bool]:
    stamps = _stamps(connection, [each.keys for each in watched])
    return [_sum(each.keys, stamps) == each.stamps for each in watched]


def _around(connection: Connection, keys: Collection[bytes]) -> dict[bytes, list[bytes]]:
    """What has, or had, an edge with each of these jobs and datasets."""
    found: dict[bytes, list[bytes]] = {}
    for rows in rows_of_all(connection, keys, _JOBS_AROUND, _DATASETS_AROUND):
        for key, other in rows:
            found.setdefault(key, []).append(other)
    return found


def _stamps(connection: Connection, watched: Iterable[Iterable[bytes]]) -> dict[bytes, int]:
    return {row[0]: row[1] for row in _STAMPS.rows_among(connection, set().union(*watched))}


def _sum(keys: Collection[bytes], stamps: Mapping[bytes, int]) -> int:
    """A key that was never stamped counts as 0."""
    return sum([stamps.get(key, 0) for key in keys])
