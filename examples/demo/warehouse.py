"""A warehouse in plain files.

<root>/<dataset>/<version>.csv      snapshots: written once, named by day and content
<root>/<table>/rev-0001/data.csv    revisions of a published table
<root>/<table>/CURRENT              names the published revision; replaced by a rename, so readers see all or nothing
"""

from __future__ import annotations

import csv
import hashlib
import io
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

Row = dict[str, str]


class Warehouse:
    """Snapshots and published tables under one root."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def land(self, dataset: str, day: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
        """Writes a snapshot and returns its version: the day and a hash of the content."""
        data = _csv(columns, rows)
        version = f"{day}.{hashlib.sha256(data).hexdigest()[:8]}"
        _write_whole(self.root / dataset / f"{version}.csv", data)
        return version

    def read(self, dataset: str, version: str) -> list[Row]:
        """The rows of a snapshot."""
        with open(self.root / dataset / f"{version}.csv", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def newest(self, dataset: str) -> str:
        """The version of the snapshot that landed last."""
        return max((self.root / dataset).glob("*.csv"), key=lambda path: path.stat().st_mtime_ns).stem

    def next_revision(self, table: str) -> str:
        """The name of a new revision; a failed one keeps its number."""
        taken = sum(1 for path in (self.root / table).glob("rev-*") if path.is_dir())
        return f"rev-{taken + 1:04}"

    def stage(self, table: str, revision: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
        """Writes a revision that no reader sees yet."""
        _write_whole(self.root / table / revision / "data.csv", _csv(columns, rows))

    def publish(self, table: str, revision: str) -> None:
        """Makes the revision the one that readers see, in one step."""
        _write_whole(self.root / table / "CURRENT", revision.encode())

    def current(self, table: str) -> str | None:
        """The published revision."""
        pointer = self.root / table / "CURRENT"
        return pointer.read_text(encoding="utf-8") if pointer.exists() else None

    def revision(self, table: str, revision: str) -> list[Row]:
        """The rows of a revision."""
        with open(self.root / table / revision / "data.csv", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))


def _csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    return text.getvalue().encode()


def _write_whole(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.tmp")
    with open(temporary, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, path)
