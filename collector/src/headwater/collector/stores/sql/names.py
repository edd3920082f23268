"""Names by their key, each fetched once: a key is a hash of its name, so what is known of it cannot become wrong."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from sqlalchemy import Table, select
from sqlalchemy.engine import Connection

from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.query import Query
from headwater.collector.stores.sql.selecting import known_of
from headwater.shared.event import Name

MAX_KEPT: Final = 32_768


class NameCache:
    """Keeps names until there are too many, then begins anew."""

    def __init__(self, table: Table, max_kept: int = MAX_KEPT) -> None:
        columns: Any = (table.c.key, table.c.namespace, table.c.name)
        self._query = Query(select(*columns), among=table.c.key)
        self._max_kept = max_kept
        self._kept: dict[bytes, Name] = {}

    def read(self, connection: Connection, keys: Iterable[bytes]) -> dict[bytes, Name]:
        """The names of these keys; one that is not in the table is left out."""
        found, missing = known_of(self._kept, keys)
        if missing:
            fresh = {row[0]: Name(row[1], row[2]) for row in self._query.rows_among(connection, missing)}
            self._keep(fresh)
            found |= fresh
        return found

    def learn(self, rows: Iterable[tuple[bytes, str, str]]) -> dict[bytes, Name]:
        """The names of these rows (key, namespace, name), which came with something else."""
        kept = self._kept
        found: dict[bytes, Name] = {}
        fresh: dict[bytes, Name] = {}
        for key, namespace, name in rows:
            if key not in found:
                known = kept.get(key)
                if known is None:
                    known = fresh[key] = Name(namespace, name)
                found[key] = known
        self._keep(fresh)
        return found

    def _keep(self, fresh: dict[bytes, Name]) -> None:
        if len(self._kept) + len(fresh) > self._max_kept:
            self._kept = {}
        self._kept.update(fresh)


DATASETS: Final = NameCache(schema.dataset)
JOBS: Final = NameCache(schema.job)
"""Of this process: a key means one name, in whatever database."""
