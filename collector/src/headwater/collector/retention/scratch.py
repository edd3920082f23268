"""The runs of a pass, in a scratch file: as many as there are, in little memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator
from types import TracebackType
from typing import Final, NamedTuple

from headwater.collector.stores.reading import RunRow
from headwater.shared.event import Name

_TABLES: Final = (
    "PRAGMA journal_mode = OFF",
    "PRAGMA cache_size = -16384",
    """CREATE TABLE run (id TEXT PRIMARY KEY, first TEXT NOT NULL, namespace TEXT, job TEXT, logical TEXT, parent TEXT,
    root TEXT, why TEXT, walked INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID""",
    "CREATE TABLE said (what TEXT PRIMARY KEY) WITHOUT ROWID",
    "CREATE INDEX logical ON run (logical) WHERE logical IS NOT NULL",
    "CREATE INDEX unwalked ON run (id) WHERE why IS NOT NULL AND NOT walked",
    "CREATE INDEX old ON run (first, id) WHERE why IS NULL",
)


class OldRun(NamedTuple):
    """One that nothing keeps so far."""

    run: str
    job: Name
    first_time: str


class Scratch:
    """A file of SQLite's own; gone with the process."""

    def __init__(self) -> None:
        self._database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
        for statement in _TABLES:
            self._database.execute(statement)

    def add(self, rows: Iterable[tuple[RunRow, bool]]) -> None:
        """Runs, each with whether it is recent."""
        self._many(
            "INSERT OR IGNORE INTO run (id, first, namespace, job, logical, parent, root, why)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (
                    row.run,
                    row.first_time or "",
                    row.job and row.job.namespace,
                    row.job and row.job.name,
                    row.logical_key,
                    row.parent,
                    row.root,
                    "recent" if recent else None,
                )
                for row, recent in rows
            ),
        )

    def keep(self, runs: Iterable[str], why: str) -> None:
        """These stay; a reason that was there before holds."""
        self._many("UPDATE run SET why = ? WHERE id = ? AND why IS NULL", ((why, run) for run in runs))

    def unwalked(self, limit: int) -> list[str]:
        """Kept runs whose own evidence has not been followed."""
        found = self._database.execute("SELECT id FROM run WHERE why IS NOT NULL AND NOT walked LIMIT ?", (limit,))
        return [row[0] for row in found]

    def keep_relatives(self, runs: Collection[str], why: str) -> None:
        """Attempts at the same logical runs, parents and roots; and these have been walked."""
        for relative in (
            "UPDATE run SET why = ? WHERE why IS NULL AND logical = (SELECT logical FROM run WHERE id = ?)",
            "UPDATE run SET why = ? WHERE why IS NULL AND id = (SELECT parent FROM run WHERE id = ?)",
            "UPDATE run SET why = ? WHERE why IS NULL AND id = (SELECT root FROM run WHERE id = ?)",
        ):
            self._many(relative, ((why, run) for run in runs))
        self._many("UPDATE run SET walked = 1 WHERE id = ?", ((run,) for run in runs))

    def old_by_job(self, size: int) -> Iterator[list[OldRun]]:
        """Those that nothing keeps, ``size`` at a time, if they are of a job."""
        for rows in self._old(size):
            yield [
                OldRun(run, Name(namespace, job), first)
                for first, run, namespace, job in rows
                if namespace is not None and job is not None
            ]

    def newest_old(self, size: int) -> Iterator[list[str]]:
        """Those that nothing keeps, newest first."""
        before = "\U0010ffff", ""
        while rows := self._database.execute(
            "SELECT first, id FROM run WHERE why IS NULL AND (first, id) < (?, ?) ORDER BY first DESC, id DESC LIMIT ?",
            (*before, size),
        ).fetchall():
            yield [row[1] for row in rows]
            before = rows[-1][0], rows[-1][1]

    def is_news(self, said: Iterable[str]) -> bool:
        """Whether any of this is said for the first time."""
        before = self._database.total_changes
        self._many("INSERT OR IGNORE INTO said VALUES (?)", ((each,) for each in said))
        return self._database.total_changes > before

    def removable(self, size: int) -> Iterator[list[str]]:
        """Those that nothing keeps, oldest first."""
        for rows in self._old(size):
            yield [row[1] for row in rows]

    def _old(self, size: int) -> Iterator[list[tuple[str, str, str | None, str | None]]]:
        after = "", ""
        while rows := self._database.execute(
            "SELECT first, id, namespace, job FROM run WHERE why IS NULL AND (first, id) > (?, ?)"
            " ORDER BY first, id LIMIT ?",
            (*after, size),
        ).fetchall():
            yield rows
            after = rows[-1][0], rows[-1][1]

    def counts(self) -> dict[str, int]:
        """By reason for keeping; ``old`` for those that nothing keeps."""
        found = self._database.execute("SELECT coalesce(why, 'old'), count(*) FROM run GROUP BY 1")
        return dict(found.fetchall())

    def _many(self, statement: str, rows: Iterable[tuple[str | None, ...]]) -> None:
        self._database.execute("BEGIN")
        self._database.executemany(statement, rows)
        self._database.execute("COMMIT")

    def __enter__(self) -> Scratch:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()
