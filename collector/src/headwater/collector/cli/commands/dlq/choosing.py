"""Which letters are meant, and the log that holds them."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headwater.shared.names import ENV_DIR

from ...exits import UsageError
from ...output import console
from ...sources import choose

if TYPE_CHECKING:
    from headwater.collector.deadletters import DeadLetters, Filters, Progress

ReasonOption = Annotated[str | None, typer.Option("--reason", metavar="WORD", help="Only with this reason.")]
StoreOption = Annotated[str | None, typer.Option("--store", metavar="NAME", help="Only those that this store lacks.")]
SinceOption = Annotated[
    str | None,
    typer.Option("--since", metavar="TIME", help="Only those given up since: 2026-01-31, 2026-01-31T06:00Z."),
]
IdsArgument = Annotated[list[int] | None, typer.Argument(metavar="[ID]...", help="These letters.", show_default=False)]
AllOption = Annotated[bool, typer.Option("--all", help="Every open letter.")]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Only say how many would be meant.")]


LimitOption = Annotated[int | None, typer.Option("--limit", min=1, metavar="N", help="At most so many, oldest first.")]


@asynccontextmanager
async def opened(directory: Path | None, url: str | None = None) -> AsyncIterator[DeadLetters]:
    """The dead letters of the log that ``url`` names, of a directory's, or of the configured one. Works beside a
    running collector."""
    from headwater.collector.deadletters import DeadLetters
    from headwater.collector.logurl import log_of_url
    from headwater.collector.settings import Settings
    from headwater.shared.log.local import LocalLog

    lineage = Settings().lineage
    if directory is not None and url is not None:
        raise UsageError("--dir and --url exclude each other", "give the one whose letters are meant")
    if url is None and directory is None and not os.environ.get(ENV_DIR) and (lineage.url or "").startswith("kafka:"):
        url = lineage.url
    if url is not None:
        named = log_of_url(url, lineage)
        await named.log.open()
        try:
            yield DeadLetters(named.log, named.topic)
        finally:
            await named.log.close()
        return
    root = choose(directory, None).directory / "log"
    if not root.is_dir():
        raise UsageError(
            f"{root.parent.resolve()} holds no log", "name the directory of `headwater up` with --dir or HEADWATER_DIR"
        )
    log = LocalLog(root)
    await log.open()
    try:
        yield DeadLetters(log, lineage.collector_topic)
    finally:
        await log.close()


def filters_of(ids: list[int] | None, reason: str | None, store: str | None, since: str | None) -> Filters:
    """The conditions as given. Raises a usage error for a malformed time."""
    from headwater.collector.deadletters import Filters

    since_ms = None
    if since is not None:
        from headwater.shared import times

        try:
            since_ms = int(times.to_epoch_s(times.parse(since)) * 1000)
        except ValueError as error:
            raise typer.BadParameter(f"{since!r} is no time: {error}", param_hint="--since") from None
    return Filters(frozenset(ids) if ids else None, reason, store, since_ms)


def chosen(
    ids: list[int] | None, reason: str | None, store: str | None, since: str | None, everything: bool
) -> Filters:
    """As ``filters_of``; refuses to mean everything unless that was said."""
    filters = filters_of(ids, reason, store, since)
    if not everything and filters == filters_of(None, None, None, None):
        raise UsageError("which letters?", "name their ids, --reason, --store or --since, or say --all")
    return filters


@contextmanager
def progress_bar(doing: str) -> Iterator[Progress]:
    """On stderr, and only where a person watches."""
    from rich.progress import Progress as Bar

    target = console(stderr=True)
    with Bar(console=target, disable=not target.is_terminal, transient=True) as bar:
        task = bar.add_task(doing, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
