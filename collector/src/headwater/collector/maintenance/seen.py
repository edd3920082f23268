"""Which stores were seen to hold which event: as many events as there are, in little memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from types import TracebackType

_PAGE = 500


class Seen:
    """A scratch file of SQLite's own, about 40 bytes an event beyond 16 MiB of memory; gone with the process."""

    def __init__(self) -> None:
        self._scratch = sqlite3.connect("", isolation_level=None)
        for statement in (
            "PRAGMA journal_mode = OFF",
            "PRAGMA cache_size = -16384",
            "CREATE TABLE seen (id BLOB PRIMARY KEY, stores INTEGER NOT NULL) WITHOUT ROWID",
        ):
            self._scratch.execute(statement)

    def add(self, store: int, event_ids: Iterable[str]) -> None:
        """``store`` (0 to 62) holds these."""
        self._scratch.execute("BEGIN")
        self._scratch.executemany(
            "INSERT INTO seen VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET stores = stores | excluded.stores",
            ((bytes.fromhex(event_id), 1 << store) for event_id in event_ids),
        )
        self._scratch.execute("COMMIT")

    def count_lacking(self, stores: int) -> int:
        """Events that not all of the first ``stores`` stores hold."""
        found = self._scratch.execute("SELECT count(*) FROM seen WHERE stores <> ?", ((1 << stores) - 1,))
        return int(found.fetchone()[0])

    def lacking(self, stores: int) -> Iterator[list[tuple[str, frozenset[int]]]]:
        """These events, some at a time, each with the stores that lack it."""
        found = self._scratch.execute("SELECT id, stores FROM seen WHERE stores <> ?", ((1 << stores) - 1,))
        while rows := found.fetchmany(_PAGE):
            yield [(key.hex(), frozenset(n for n in range(stores) if not mask >> n & 1)) for key, mask in rows]

    def __enter__(self) -> Seen:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._scratch.close()
