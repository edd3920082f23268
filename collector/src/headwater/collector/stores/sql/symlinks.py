"""Keeps ``symlink``: a dataset's links are those of its current symlinks facet (rule 10)."""

from __future__ import annotations

from collections.abc import Collection

import orjson
from sqlalchemy import select
from sqlalchemy.engine import Connection

from headwater.collector.facts import Scope
from headwater.collector.merging.keys import name_key
from headwater.collector.merging.merge import Merged
from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.query import Query, run_many
from headwater.collector.stores.sql.upserts import Upserts
from headwater.shared.event import Name


def write_symlinks(connection: Connection, upserts: Upserts, datasets: Collection[bytes]) -> set[bytes]:
    """Rewrites the links of these datasets, whose symlinks facet was stated or deleted. Returns the other ends."""
    if not datasets:
        return set()
    links: set[tuple[bytes, bytes]] = set()
    named = Merged()
    for owner, raw in _STATED.rows_among(connection, datasets):
        for identifier in orjson.loads(raw).get("identifiers") or ():
            other = Name(identifier["namespace"], identifier["name"])
            if name_key(other) != owner:
                links.add((owner, named.name_dataset(other)))
    run_many(connection, upserts.dataset, [(key, *row, False) for key, row in named.datasets.items()])
    run_many(connection, upserts.delete_symlinks, [(key,) for key in datasets])
    run_many(connection, upserts.symlink, sorted(links))
    carriers = {owner for owner, _ in links}
    run_many(connection, upserts.update_carrier, [(key in carriers, key) for key in datasets])
    return {other for _, other in links}


_facet, _value = schema.facet.c, schema.facet_value.c
_STATED = Query(
    select(_facet.owner, _value.value)
    .join_from(schema.facet, schema.facet_value, _value.key == _facet.value)
    .where(_facet.scope == int(Scope.DATASET), _facet.name == "symlinks"),
    among=_facet.owner,
)
