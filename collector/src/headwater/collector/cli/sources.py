"""Where a reading command reads: an embedded directory, the configured stores, or an API over HTTP."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from headwater.shared.event import Name
from headwater.shared.names import ENV_DIR

from .exits import UsageError
from .output import complain

if TYPE_CHECKING:
    from headwater.collector.settings import Settings

Answer = dict[str, Any]
NodeKind = Literal["job", "dataset"]
DEFAULT_DIRECTORY = Path(".headwater")
DATABASE = "headwater.db"


def database_url(directory: Path) -> str:
    """Of the ``sql`` store in an embedded directory."""
    return f"sqlite:///{directory.absolute() / DATABASE}"


ENV_API = "HEADWATER_API"
"""Base URL of a running headwater that reading commands ask."""


class Source(Protocol):
    """The questions that commands ask. ``headwater.collector.questions.Questions`` is one; the answers' shapes are
    told there."""

    async def run(self, run_id: str) -> Answer | None: ...

    async def runs(
        self,
        *,
        job: Name | None = None,
        status: str | None = None,
        since: str | None = None,
        limit: int = 100,
        after: str | None = None,
    ) -> Answer: ...

    async def dataset(self, name: Name) -> Answer | None: ...

    async def job(self, name: Name) -> Answer | None: ...

    async def evidence(
        self,
        dataset: Name,
        generation: str | None = None,
        *,
        depth: int = 1,
        as_of: str | None = None,
        partition: Collection[str] = (),
    ) -> Answer: ...

    async def partition(
        self,
        dataset: Name,
        partition: Collection[str],
        generation: str | None = None,
        *,
        upstream: bool,
        max_depth: int = 20,
        limit: int = 10_000,
        as_of: str | None = None,
    ) -> Answer: ...

    async def export(self, dataset: Name, generation: str | None, format_: str, *, depth: int = 1) -> Answer:
        """Raises NotPublishedError."""
        ...

    async def check_manifest(self, manifest: Answer) -> Answer: ...

    async def column_sources(
        self, dataset: Name, generation: str | None, column: str, *, max_depth: int = 20
    ) -> Answer: ...

    async def impact(
        self,
        dataset: Name,
        generation: str | None = None,
        *,
        max_depth: int = 20,
        limit: int = 10_000,
        as_of: str | None = None,
        consumers: bool = False,
    ) -> Answer: ...

    async def logical_run(self, key: str) -> Answer | None: ...

    async def want(
        self, want_id: str, *, depth: int = 3, limit: int = 100, after: str | None = None
    ) -> Answer | None: ...

    async def instance(
        self, partition: Name, generation: str | None = None, *, limit: int = 100, after: str | None = None
    ) -> Answer: ...

    async def job_run(self, run_id: str, *, limit: int = 100, after: str | None = None) -> Answer | None: ...

    async def lineage(
        self, node: Name, kind: NodeKind, *, up: int = 3, down: int = 3, as_of: str | None = None
    ) -> Answer | None: ...

    async def fingerprint(self) -> str: ...


class Target(NamedTuple):
    """What the options, the environment or the configuration chose: an API, a directory, or the configured stores."""

    directory: Path
    api: str | None
    settings: Settings | None = None
    """Whose stores are read; None: the directory's own database."""


def choose(directory: Path | None, api: str | None) -> Target:
    """An option beats the environment, an API a directory, and both the configured stores. Raises UsageError if both
    options are given."""
    if directory is not None and api is not None:
        raise UsageError("--dir and --api exclude each other", "give the one that shall be asked")
    if directory is None and api is None:
        api = os.environ.get(ENV_API) or None
        named = os.environ.get(ENV_DIR)
        if api is None and not named:
            return Target(DEFAULT_DIRECTORY, None, _configured())
        directory = Path(named) if named else None
    return Target(directory or DEFAULT_DIRECTORY, api)


def _configured() -> Settings | None:
    """The settings, unless they name nothing but a ``sql`` store without a URL, which is the directory's."""
    from headwater.collector.settings import Settings

    settings = Settings()
    store = settings.lineage.store
    local = store.backend == "sql" and "url" not in store.options("sql")
    return None if local else settings


@asynccontextmanager
async def opened(directory: Path | None, api: str | None) -> AsyncIterator[Source]:
    """The source that the options name, open for reading. Takes no lock: it works beside running collectors."""
    target = choose(directory, api)
    if target.api is not None:
        from .api_source import ApiSource

        api_source = ApiSource(target.api)
        try:
            yield api_source
        finally:
            api_source.close()
        return
    if target.settings is None:
        check_database(target.directory)
    from headwater.collector.questions import Questions

    from .configured import opened_reader

    async with opened_reader(target.directory, target.settings) as reader:
        await _warn_of_rebuild(reader)
        yield Questions(reader)


async def _warn_of_rebuild(reader: object) -> None:
    from headwater.collector.stores.rebuilding import trouble_of

    if trouble := await trouble_of(reader):
        complain(f"{trouble}; if none is running, `headwater rebuild --yes` goes on with it")


def check_database(directory: Path) -> None:
    """Raises UsageError, with what to do, where the directory holds no data."""
    if not (directory / DATABASE).is_file():
        raise UsageError(
            f"{directory.resolve()} holds no headwater data (no {DATABASE})",
            "start `headwater up` or `headwater emit FILE` there, or name the place with --dir, HEADWATER_DIR or --api",
        )
