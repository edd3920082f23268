"""What a chain of seals says of each event, in little memory."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator, Iterator
from types import TracebackType
from typing import Final, NamedTuple

from headwater.collector.stores.sealing import REMOVED, Seal

_PAGE: Final = 500


class Entry(NamedTuple):
    """The latest entry about an event."""

    event_id: str
    content: bytes | None
    """Its hash; None: it was taken away on purpose."""
    seal: int


class Ledger:
    """A scratch file of SQLite's own, about 80 bytes an event beyond 16 MiB of memory; gone with the process."""

    def __init__(self) -> None:
        self._scratch = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        for statement in (
            "PRAGMA journal_mode = OFF",
            "PRAGMA cache_size = -16384",
            "CREATE TABLE entry (id BLOB PRIMARY KEY, content BLOB NOT NULL, seal INTEGER NOT NULL) WITHOUT ROWID",
        ):
            self._scratch.execute(statement)

    def add(self, seal: Seal) -> None:
        """Seals come in their order."""
        self._scratch.execute("BEGIN")
        self._scratch.executemany(
            "INSERT OR REPLACE INTO entry VALUES (?, ?, ?)",
            ((event_id, content, seal.number) for event_id, content in seal.pairs()),
        )
        self._scratch.execute("COMMIT")

    def count(self) -> int:
        """Events that the seals name."""
        return int(self._scratch.execute("SELECT count(*) FROM entry").fetchone()[0])

    def count_present(self) -> int:
        """Events that should be there."""
        found = self._scratch.execute("SELECT count(*) FROM entry WHERE content <> ?", (REMOVED,))
        return int(found.fetchone()[0])

    def pages(self) -> Iterator[list[Entry]]:
        """All, some at a time."""
        after = b""
        while rows := self._scratch.execute(
            "SELECT id, content, seal FROM entry WHERE id > ? ORDER BY id LIMIT ?", (after, _PAGE)
        ).fetchall():
            yield [Entry(key.hex(), None if content == REMOVED else content, seal) for key, content, seal in rows]
            after = rows[-1][0]

    def knows(self, event_id: str) -> bool:
        found = self._scratch.execute("SELECT 1 FROM entry WHERE id = ?", (bytes.fromhex(event_id),))
        return found.fetchone() is not None

    async def unknown(self, event_ids: AsyncIterator[str]) -> AsyncIterator[list[str]]:
        """Those that no seal names, some at a time."""
        page: list[str] = []
        async for event_id in event_ids:
            if not self.knows(event_id):
                page.append(event_id)
                if len(page) == _PAGE:
                    yield page
                    page = []
        if page:
            yield page

    def __enter__(self) -> Ledger:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._scratch.close()
