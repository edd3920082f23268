"""The configured stores, opened for a command."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.shared.names import ENV_DIR

from .exits import UsageError
from .sources import DEFAULT_DIRECTORY, check_database, database_url

if TYPE_CHECKING:
    from headwater.collector.manager import LineageManager
    from headwater.collector.settings import Settings
    from headwater.collector.stores.base import LineageStoreProtocol
    from headwater.collector.stores.reading import Reader


def settings_of(directory: Path | None, *, check: bool = True) -> Settings:
    """The settings, as `headwater up` on that directory has them: the ``sql`` store's database is the directory's
    unless a URL is set. With ``check`` raises UsageError if the only store is a database that is not there."""
    from headwater.collector.settings import Settings

    settings = Settings()
    store = settings.lineage.store
    where = working_directory(directory)
    if check and store.backend == "sql" and "url" not in store.options("sql"):
        check_database(where)
    return settings.with_default_option("sql", "url", database_url(where))


def working_directory(directory: Path | None) -> Path:
    """The embedded directory that is meant: the option's, the environment's or the default."""
    return directory or Path(os.environ.get(ENV_DIR) or DEFAULT_DIRECTORY)


def default_source(settings: Settings) -> str:
    """The name of the configured store that documents are read from. Raises UsageError if there is none."""
    from headwater.collector.stores.combined import Readable, ReadableDocuments
    from headwater.collector.stores.registry import build_store, chosen_stores

    for name in chosen_stores(settings):
        if isinstance(build_store(name, settings, read_only=True), (Readable, ReadableDocuments)):
            return name
    raise UsageError("no configured store keeps events whole", "name one with --from")


@asynccontextmanager
async def built_stores(settings: Settings) -> AsyncIterator[LineageManager]:
    """The stores, for writing, not open yet; closed at the end."""
    from headwater.collector.manager import LineageManager

    manager = LineageManager(settings)
    try:
        yield manager
    finally:
        await manager.stores.close()


@asynccontextmanager
async def opened_stores(settings: Settings) -> AsyncIterator[LineageManager]:
    """The stores, open for writing. Works beside running collectors. Raises TransientError if one is down."""
    async with built_stores(settings) as manager:
        await manager.stores.open()
        yield manager


@asynccontextmanager
async def opened_reader(directory: Path, settings: Settings | None) -> AsyncIterator[Reader]:
    """What answers questions: the configured stores that can be read, and without settings the directory's database.
    Only what is read is opened, and nothing is made or changed. Raises ConfigurationError or TransientError."""
    from headwater.collector.stores.combined import chosen_for_reading, reader_of
    from headwater.shared.errors import ConfigurationError

    database = database_url(directory)
    configured = _built(settings, database)
    stores = chosen_for_reading(configured)
    try:
        for store in stores:
            await store.open()
        reader = reader_of(stores)
        if reader is None:
            names = sorted(store.name for store in configured)
            raise ConfigurationError(
                "lineage.store", names, "none of these stores can be read; add sql, or both document and graph"
            )
        yield reader
    finally:
        for store in stores:
            await store.close()


def _built(settings: Settings | None, database: str) -> list[LineageStoreProtocol]:
    if settings is None:
        from headwater.collector.stores.sql import SqlLineageStore

        return [SqlLineageStore(database, read_only=True)]
    from headwater.collector.stores.registry import build_store, chosen_stores

    settings = settings.with_default_option("sql", "url", database)
    return [build_store(name, settings, read_only=True) for name in chosen_stores(settings)]


def check_names(manager: LineageManager, names: list[str] | None) -> None:
    """Raises UsageError for a name that is no configured store's."""
    for name in names or ():
        if name not in manager.stores.members:
            raise UsageError(f"no store {name!r} is configured", f"there are: {', '.join(manager.stores.members)}")
