"""A store and the questions one asks of it, by engine. Another engine is one more line in ``ENGINES``."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from headwater.collector.projection import project
from headwater.collector.questions import Questions
from headwater.collector.stores.base import LineageStoreProtocol, ProjectedEvent
from headwater.collector.stores.reading import Reader
from headwater.collector.stores.sql import SqlLineageStore
from headwater.shared.codec import decode
from tests.support import server_stores
from tests.support.scratch import SCRATCH


class World(NamedTuple):
    """One empty store at first, and its public readers."""

    store: LineageStoreProtocol
    questions: Questions

    async def take(self, batches: Iterable[Sequence[bytes]]) -> None:
        """Writes raw events, batch by batch, as the pipeline does: decode, project, write."""
        for batch in batches:
            await self.store.write([projected(raw) for raw in batch])


@lru_cache(maxsize=4096)
def projected(raw: bytes) -> ProjectedEvent:
    """Projecting is pure, so one projection serves every order and every store."""
    event = decode(raw)
    return ProjectedEvent(event, project(event))


@asynccontextmanager
async def sqlite_world() -> AsyncIterator[World]:
    with tempfile.TemporaryDirectory(prefix="headwater-", dir=SCRATCH) as directory:
        path = Path(directory, "headwater.db")
        path.write_bytes(await _empty_database())
        store = SqlLineageStore(f"sqlite:///{path}")
        await store.open()
        try:
            yield World(store, Questions(store.reader()))
        finally:
            await store.close()


_EMPTY: list[bytes] = []


async def _empty_database() -> bytes:
    """The tables without rows, made once: most of the time of a small world goes into making them."""
    if not _EMPTY:
        with tempfile.TemporaryDirectory(prefix="headwater-", dir=SCRATCH) as directory:
            path = Path(directory, "headwater.db")
            store = SqlLineageStore(f"sqlite:///{path}")
            await store.open()
            await store.close()
            assert [each.name for each in Path(directory).iterdir()] == [path.name], (
                "a log was left beside the database"
            )
            _EMPTY.append(path.read_bytes())
    return _EMPTY[0]


@asynccontextmanager
async def _on_servers(
    stores: Callable[[], AbstractAsyncContextManager[tuple[LineageStoreProtocol, Reader]]],
) -> AsyncIterator[World]:
    async with stores() as (store, reader):
        yield World(store, Questions(reader))


Engine = Callable[[], AbstractAsyncContextManager[World]]
LOCAL: dict[str, Engine] = {"sqlite": sqlite_world}
"""Cheap enough for thousands of worlds."""
SERVERS: dict[str, Engine] = {
    "postgres": lambda: _on_servers(server_stores.postgres),
    "neo4j": lambda: _on_servers(server_stores.neo4j),
    "mongo+neo4j": lambda: _on_servers(server_stores.mongo_neo4j),
}
ENGINES: dict[str, Engine] = LOCAL | SERVERS


def short(value: Any) -> str:
    """A name in a message: ``namespace/name``, with its version where it has one."""
    return "/".join(map(str, value)) if isinstance(value, tuple) else str(value)
