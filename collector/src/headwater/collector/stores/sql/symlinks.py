"""Keeps ``symlink``: a dataset's links are those of its current symlinks facet (rule 10)."""

from __future__ import annotations

from collections.abc import Collection

import orjson
from sqlalchemy import delete, select
from sqlalchemy.engine import Connection

from headwater.collector.facts import Scope
from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.bases import chunks
from headwater.collector.stores.sql.keys import name_key
from headwater.collector.stores.sql.merge import Merged
from headwater.collector.stores.sql.upserts import Upserts, execute
from headwater.shared.event import Name


def write_symlinks(connection: Connection, upserts: Upserts, datasets: Collection[bytes]) -> None:
    """Rewrites the links of these datasets, whose symlinks facet was stated or deleted."""
    facet, value, table = schema.facet, schema.facet_value, schema.symlink
    stated = (
        select(facet.c.owner, value.c.value)
        .join(value, value.c.key == facet.c.value)
        .where(facet.c.scope == int(Scope.DATASET), facet.c.name == "symlinks")
    )
    for keys in chunks(datasets):
        links: set[tuple[bytes, bytes]] = set()
        named = Merged()
        for owner, raw in connection.execute(stated.where(facet.c.owner.in_(keys))):
            for identifier in orjson.loads(raw).get("identifiers") or ():
                other = Name(identifier["namespace"], identifier["name"])
                if name_key(other) != owner:
                    links.add((owner, named.name_dataset(other)))
        execute(connection, upserts.dataset, [(key, *row, False) for key, row in named.datasets.items()])
        connection.execute(delete(table).where(table.c.dataset.in_(keys)))
        execute(connection, upserts.symlink, sorted(links))
        carriers = {owner for owner, _ in links}
        execute(connection, upserts.update_carrier, [(key in carriers, key) for key in keys])
