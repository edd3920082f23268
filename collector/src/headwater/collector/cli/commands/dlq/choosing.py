"""Which letters are meant, and the log that holds them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...exits import UsageError
from ...sources import choose

if TYPE_CHECKING:
    from headwater.collector.deadletters import DeadLetters, Filters

ReasonOption = Annotated[str | None, typer.Option("--reason", metavar="WORD", help="Only with this reason.")]
StoreOption = Annotated[str | None, typer.Option("--store", metavar="NAME", help="Only those that this store lacks.")]
SinceOption = Annotated[
    str | None,
    typer.Option("--since", metavar="TIME", help="Only those given up since: 2026-01-31, 2026-01-31T06:00Z."),
]
IdsArgument = Annotated[list[int] | None, typer.Argument(metavar="[ID]...", help="These letters.", show_default=False)]
AllOption = Annotated[bool, typer.Option("--all", help="Every open letter.")]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Only say how many would be meant.")]


@asynccontextmanager
async def opened(directory: Path | None) -> AsyncIterator[DeadLetters]:
    """The dead letters of a directory's log. Works beside a running collector."""
    from headwater.collector.deadletters import DeadLetters
    from headwater.collector.settings import Settings
    from headwater.shared.log.local import LocalLog

    root = choose(directory, None).directory / "log"
    if not root.is_dir():
        raise UsageError(
            f"{root.parent.resolve()} holds no log", "name the directory of `headwater up` with --dir or HEADWATER_DIR"
        )
    log = LocalLog(root)
    await log.open()
    try:
        yield DeadLetters(log, Settings().lineage.collector_topic)
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
