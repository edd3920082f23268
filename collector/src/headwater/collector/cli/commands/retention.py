"""``headwater retention``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..exits import DONE, INTERRUPTED, NOT_DONE, UsageError
from ..options import DirOption, JsonOption
from ..output import complain, show_json, show_lines

if TYPE_CHECKING:
    from headwater.collector.retention.passing import Retained
    from headwater.collector.retention.policy import Policy


def retention(
    runs: Annotated[
        str | None, typer.Option("--runs", metavar="AGE", help="Older runs go whole: facts and documents.")
    ] = None,
    documents: Annotated[
        str | None, typer.Option("--documents", metavar="AGE", help="Of older runs the stored events go.")
    ] = None,
    statistics: Annotated[
        str | None, typer.Option("--statistics", metavar="AGE", help="Of older runs the counts of rows and bytes go.")
    ] = None,
    max_runs: Annotated[int, typer.Option(min=1, metavar="N", help="Runs taken away in one pass.")] = 100_000,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
    directory: DirOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take away what is older than the ages given.

    An age is a number and h, d, w or y, counted from a run's last event. Whatever its age, a run stays while the
    evidence of a generation that is current, or younger, depends on it. Collectors may go on writing. It may be broken
    off and begun again.

    Example: headwater retention --runs 2y --documents 1y --statistics 90d --dry-run
    """
    import asyncio

    from headwater.collector.retention.passing import Retained
    from headwater.shared.errors import HeadwaterError

    policy, done = _policy(runs, documents, statistics, max_runs), Retained(dry_run=dry_run)
    try:
        asyncio.run(_retain(policy, done, directory))
    except KeyboardInterrupt:
        _show(done, as_json)
        raise typer.Exit(INTERRUPTED) from None
    except HeadwaterError:
        if done.kept:
            _show(done, as_json)
        raise
    _show(done, as_json)
    raise typer.Exit(DONE if done.complete else NOT_DONE)


def _policy(runs: str | None, documents: str | None, statistics: str | None, max_runs: int) -> Policy:
    from headwater.collector.retention.policy import Policy, parse_age

    said = {"runs": runs, "documents": documents, "statistics": statistics}
    if not any(said.values()):
        raise UsageError("no age is given", "for example: headwater retention --runs 2y --dry-run")
    ages = {}
    for name, text in said.items():
        try:
            ages[name] = None if text is None else parse_age(text)
        except ValueError as error:
            raise UsageError(f"--{name} {error}") from error
    try:
        return Policy(**ages, max_runs=max_runs)
    except ValueError as error:
        raise UsageError(str(error), "let --documents be less than --runs") from error


async def _retain(policy: Policy, done: Retained, directory: Path | None) -> None:
    from headwater.collector.retention.passing import Retention

    from ..configured import opened_stores, settings_of
    from ..working import progress_bar

    async with opened_stores(settings_of(directory)) as manager:
        with progress_bar() as progress:
            stores = [member.store for member in manager.stores.members.values()]
            await Retention(stores, policy, done, progress=progress).run()


def _show(done: Retained, as_json: bool) -> None:
    if as_json:
        show_json(done.as_dict())
        return
    for what, counts in done.kept.items():
        why = ", ".join(f"{count:,} {reason}" for reason, count in sorted(counts.items()) if reason != "old")
        show_lines([f"{what}: {counts.get('old', 0):,} are old and nothing needs them; kept: {why or 'none'}"])
    went = "would go" if done.dry_run else "went"
    statistics = "" if done.statistics is None else f", {done.statistics:,} statistics"
    show_lines([f"{went}: {done.runs:,} runs, {done.documents:,} documents{statistics}"])
    if done.under_way:
        show_lines([f"left for the next pass: {done.under_way:,} runs of which an event came in just now"])
    if done.cut_off:
        show_lines(["there is more: run it again, or raise --max-runs"])
    if done.not_asked:
        show_lines([f"cannot forget: {', '.join(done.not_asked)}"])
    if not done.complete:
        complain("broken off: what went stays away; run it again for the rest")
