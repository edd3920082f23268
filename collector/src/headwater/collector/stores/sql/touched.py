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
from headwater.collector.stores.reading import Node, NodeKind, Seen, Watch
from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.query import Query, rows_among_each, run_many, upsert_into
from headwater.collector.stores.sql.upserts import Upserts

EVERYTHING = NO_KEY
_touched, _edge = schema.touched.c, schema.job_edge.c
_STAMPS = Query(select(_touched.key, _touched.stamp), among=_touched.key)
_AROUND: dict[NodeKind, Query] = {
    "job": Query(select(_edge.job, _edge.dataset), among=_edge.job),
    "dataset": Query(select(_edge.dataset, _edge.job), among=_edge.dataset),
}


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
    around = _around(connection, [node for each in seen for node in each.edges_of])
    watched = [
        {EVERYTHING}.union(
            map(name_key, each.jobs), map(name_key, each.datasets), *[around[node] for node in each.edges_of]
        )
        for each in seen
    ]
    stamps = _stamps(connection, watched)
    return [Watch(tuple(keys), _sum(keys, stamps)) for keys in watched]


def unchanged(connection: Connection, watched: Sequence[Watch]) -> list[bool]:
    stamps = _stamps(connection, [each.keys for each in watched])
    return [_sum(each.keys, stamps) == each.stamps for each in watched]


def _around(connection: Connection, nodes: Iterable[Node]) -> dict[Node, list[bytes]]:
    """Each of these nodes, and what has or had an edge with it."""
    found = {node: [name_key(node[1])] for node in nodes}
    by_key: dict[NodeKind, dict[bytes, list[bytes]]] = {"job": {}, "dataset": {}}
    for (kind, _), around in found.items():
        by_key[kind][around[0]] = around
    rows = rows_among_each(connection, *((_AROUND[kind], list(keys)) for kind, keys in by_key.items()))
    for keys, others in zip(by_key.values(), rows, strict=True):
        for key, other in others:
            keys[key].append(other)
    return found


def _stamps(connection: Connection, watched: Iterable[Iterable[bytes]]) -> dict[bytes, int]:
    return {row[0]: row[1] for row in _STAMPS.rows_among(connection, set().union(*watched))}


def _sum(keys: Collection[bytes], stamps: Mapping[bytes, int]) -> int:
    """A key that was never stamped counts as 0."""
    return sum([stamps.get(key, 0) for key in keys])
