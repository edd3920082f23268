"""``headwater rebuild``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..exits import DONE, INTERRUPTED, NOT_DONE, UsageError
from ..options import DirOption, JsonOption
from ..output import complain, show_json, show_lines

if TYPE_CHECKING:
    from headwater.collector.maintenance.rebuilding import Rebuilt


def rebuild(
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do it; else it only says what it would do.")] = False,
    stores: Annotated[
        list[str] | None, typer.Option("--store", metavar="NAME", help="Only the graph of this one; may be repeated.")
    ] = None,
    directory: DirOption = None,
    as_json: JsonOption = False,
) -> None:
    """Empty the graph and fold the documents into it again.

    Documents stay as they are. One that was broken off goes on where it was; until it is done, reading commands say
    that the graph is not whole.

    Example: headwater rebuild --yes
    """
    import asyncio

    from headwater.collector.maintenance.rebuilding import Rebuilt
    from headwater.shared.errors import HeadwaterError

    done = Rebuilt()
    try:
        asyncio.run(_rebuild(done, yes, stores, directory))
    except KeyboardInterrupt:
        _show(done, as_json)
        raise typer.Exit(INTERRUPTED) from None
    except HeadwaterError:
        if done.resumed:
            _show(done, as_json)
        raise
    _show(done, as_json)
    raise typer.Exit(DONE if done.whole else NOT_DONE)


async def _rebuild(done: Rebuilt, yes: bool, names: list[str] | None, directory: Path | None) -> None:
    from headwater.collector.maintenance.planning import holdings_of
    from headwater.collector.maintenance.rebuilding import Rebuilder, graphs_of

    from ..configured import built_stores, check_names, settings_of
    from ..render.holdings import told
    from ..working import progress_bar

    settings = settings_of(directory)
    async with built_stores(settings) as manager:
        check_names(manager, names)
        members = [member.store for member in manager.stores.members.values()]
        graphs = graphs_of(members, names)
        held = {each.name: each for each in await holdings_of(members)}
        events = [each.events for each in held.values() if each.events is not None]
        lines = [told(held[graph.name], graph_only=True) for graph in graphs]
        if not yes:
            count = f"{max(events):,} events" if events else "the documents"
            raise UsageError(
                f"this would empty the graph of {'; of '.join(lines)}; and fold {count} again", "say --yes"
            )
        if events and not max(events) and any(sum((each.facts or {}).values()) for each in held.values()):
            raise UsageError(
                "no store holds a document, and the graph is not empty: nothing would be left",
                "is the right collection configured? `headwater reset` empties everything",
            )
        with progress_bar() as progress:
            retry = settings.lineage.collector.retry.policy()
            await Rebuilder(manager.stores, done, retry=retry, progress=progress).run(graphs)


def _show(done: Rebuilt, as_json: bool) -> None:
    if as_json:
        show_json(done.as_dict())
        return
    from ..render.reconciling import trouble_lines

    for name, resumed in done.resumed.items():
        show_lines([f"{name}: {done.folded.get(name, 0):,} events folded{', going on' if resumed else ''}"])
    show_lines(trouble_lines(done.report))
    if not done.complete:
        complain("broken off: the graph is not whole until `headwater rebuild --yes` is run again")
