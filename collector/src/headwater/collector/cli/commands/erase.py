"""``headwater erase``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..exits import DONE, INTERRUPTED, NOT_DONE, UsageError
from ..options import DirOption, JsonOption
from ..output import complain, show_json, show_lines

if TYPE_CHECKING:
    from headwater.collector.erasing.matching import Matcher
    from headwater.collector.erasing.work import Erased


def erase(
    namespace: Annotated[
        str | None, typer.Option("--namespace", metavar="NS", help="Every job and dataset of this namespace.")
    ] = None,
    text: Annotated[
        str | None, typer.Option("--text", metavar="TEXT", help="Whatever holds this text: a person's name, say.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do it; else it only says what it would do.")] = False,
    directory: DirOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take a namespace or a person out of stored events.

    What is left of such an event is a skeleton: run, times, states, and which data went where, under names that mean
    nothing. Then the graph is made anew from the documents, so nothing stays behind in it. The log, the dead letters
    and what producers still hold keep their copies for as long as their own settings say.

    Example: headwater erase --namespace hr --yes
    """
    import asyncio

    from headwater.collector.erasing.work import Erased
    from headwater.shared.errors import HeadwaterError

    matcher, done = _matcher(namespace, text), Erased(dry_run=not yes)
    try:
        asyncio.run(_erase(matcher, done, directory))
    except KeyboardInterrupt:
        _show(done, as_json)
        raise typer.Exit(INTERRUPTED) from None
    except HeadwaterError:
        _show(done, as_json)
        raise
    _show(done, as_json)
    raise typer.Exit(DONE if done.complete else NOT_DONE)


def _matcher(namespace: str | None, text: str | None) -> Matcher:
    from headwater.collector.erasing.matching import Matcher

    if (namespace is None) == (text is None):
        raise UsageError("give --namespace or --text", "for example: headwater erase --namespace hr")
    try:
        return Matcher(namespace=namespace, text=text)
    except ValueError as error:
        raise UsageError(str(error)) from error


async def _erase(matcher: Matcher, done: Erased, directory: Path | None) -> None:
    from headwater.collector.erasing.pseudonyms import kept_secret
    from headwater.collector.erasing.work import Eraser

    from ..configured import built_stores, settings_of, working_directory
    from ..working import progress_bar

    settings = settings_of(directory)
    with kept_secret(working_directory(directory) / "erase.secret", keep=done.dry_run) as secret:
        async with built_stores(settings) as manager:
            with progress_bar() as progress:
                retry = settings.lineage.collector.retry.policy()
                await Eraser(manager.stores, matcher, secret, done, retry=retry, progress=progress).run()


def _show(done: Erased, as_json: bool) -> None:
    if as_json:
        show_json(done.as_dict())
        return
    if done.dry_run:
        show_lines([f"{done.found:,} of {done.looked:,} stored events hold it; say --yes to make them skeletons"])
        return
    show_lines([f"{done.erased:,} of {done.looked:,} stored events are skeletons now"])
    if done.unreadable:
        show_lines([f"{done.unreadable:,} could not be read and were left: {', '.join(done.examples)}"])
    if done.rebuilt is not None and done.rebuilt.whole:
        show_lines(["the graph was made anew from the documents"])
    if not done.complete:
        complain("broken off: run the same command again; until then the graph may still hold it")
