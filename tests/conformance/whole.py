"""A small store in one file that is right, to be broken in one place at a time; and the two ways to disturb it."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import pickle
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from headwater.collector.stores.base import ProjectedEvent
from headwater.collector.stores.memory import MemoryLineageStore
from headwater.collector.stores.memory.reader import MemoryReader
from headwater.collector.stores.reading import Document, EventFilter, RunFilter, RunRow
from headwater.shared.errors import TransientError

DEADLINE_S = 0.3


class FileStore(MemoryLineageStore):
    """Reads the file, merges in memory, and puts a new file in its place, under a lock. A file beside it named ``hung``
    or ``gone`` stands for the state of its backend."""

    def __init__(self, path: Path) -> None:
        super().__init__(name="file")
        self.path = path

    async def open(self) -> None:
        await self.answer()

    async def write(self, batch: Sequence[ProjectedEvent]) -> None:
        await self.answer()
        with self.locked():
            self.load()
            await self.merge(batch)
            self.save()

    async def merge(self, batch: Sequence[ProjectedEvent]) -> None:
        """Into what was loaded."""
        await super().write(batch)

    async def ping(self) -> None:
        await self.answer()

    def reader(self) -> MemoryReader:
        """Sees what the file holds now."""
        self.load()
        return FileReader(self)

    async def answer(self) -> None:
        """As a call to a backend would: it takes until the backend answers, and fails at the deadline."""
        try:
            async with asyncio.timeout(DEADLINE_S):
                while self.state("hung"):  # noqa: ASYNC110 - another side makes the file
                    await asyncio.sleep(0.01)
        except TimeoutError as error:
            raise TransientError("no answer in time") from error
        if self.state("gone"):
            raise TransientError("connection refused")

    def state(self, name: str) -> bool:
        return self.path.with_name(name).exists()

    @contextlib.contextmanager
    def locked(self) -> Iterator[IO[bytes]]:
        with self.path.with_suffix(".lock").open("wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield lock

    def load(self) -> None:
        self.kept, self.facts, self._view = {}, {}, None
        if self.path.exists():
            self.kept, self.facts = pickle.loads(self.path.read_bytes())

    def save(self) -> None:
        with tempfile.NamedTemporaryFile(dir=self.path.parent, delete=False) as new:
            pickle.dump((self.kept, self.facts), new)
        os.replace(new.name, self.path)


class FileReader(MemoryReader):
    """Asks the backend first, in what the outage checks call."""

    def __init__(self, store: FileStore) -> None:
        super().__init__(store)
        self._file = store

    async def list_documents(self, where: EventFilter, limit: int, offset: int) -> list[Document]:
        await self._file.answer()
        return await super().list_documents(where, limit, offset)

    async def list_runs(self, where: RunFilter, limit: int) -> list[RunRow]:
        await self._file.answer()
        return await super().list_runs(where, limit)


class FileFaults:
    """Puts the files there that stand for the state of the backend."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def hung(self) -> contextlib.AbstractContextManager[None]:
        return self._being("hung")

    def gone(self) -> contextlib.AbstractContextManager[None]:
        return self._being("gone")

    @contextlib.contextmanager
    def _being(self, state: str) -> Iterator[None]:
        path = self._folder / state
        path.touch()
        try:
            yield
        finally:
            path.unlink()
