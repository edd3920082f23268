"""Facet values by their hash, parsed once: most datasets are described again and again in the same words.

What is here is shared by every answer: nobody may change it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from threading import Lock
from typing import Any, Final

import orjson
from sqlalchemy import select
from sqlalchemy.engine import Connection

from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.query import Query
from headwater.collector.stores.sql.selecting import known_of

MAX_KEPT_BYTES: Final = 4 * 1024 * 1024
"""Of values as written; parsed they take several times as much."""
_MAX_ONE: Final = 64 * 1024
_value = schema.facet_value.c
_VALUES = Query(select(_value.key, _value.value), among=_value.key)


class ValueCache:
    """Keeps values until there are too many, then begins anew."""

    def __init__(self, max_bytes: int = MAX_KEPT_BYTES) -> None:
        self._max_bytes = max_bytes
        self._kept: dict[bytes, dict[str, Any]] = {}
        self._bytes = 0
        self._lock = Lock()

    def read(self, connection: Connection, keys: Iterable[bytes]) -> dict[bytes, dict[str, Any]]:
        """The values of these hashes."""
        found, missing = known_of(self._kept, keys)
        if missing:
            found |= self._fetched(connection, missing)
        return found

    def _fetched(self, connection: Connection, keys: Collection[bytes]) -> dict[bytes, dict[str, Any]]:
        found: dict[bytes, dict[str, Any]] = {}
        small: dict[bytes, dict[str, Any]] = {}
        size = 0
        for key, raw in _VALUES.rows_among(connection, keys):
            value: dict[str, Any] = orjson.loads(raw)
            found[bytes(key)] = value
            if len(raw) <= _MAX_ONE:
                small[bytes(key)] = value
                size += len(raw)
        with self._lock:
            if self._bytes + size > self._max_bytes:
                self._kept, self._bytes = {}, 0
            if size <= self._max_bytes:
                self._kept.update(small)
                self._bytes += size
        return found


VALUES: Final = ValueCache()
"""Of this process: a hash means one value, in whatever database."""
