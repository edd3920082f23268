"""``headwater want``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ..asking import ask
from ..exits import NotThereError
from ..options import AfterOption, ApiOption, DirOption, JsonOption, ListOption, refused_cursor
from ..output import show, show_json
from ..sources import Source


def want(
    want_id: Annotated[str, typer.Argument(metavar="ID", show_default=False)],
    depth: Annotated[int, typer.Option(min=0, max=10, help="At most so many levels of derivative wants.")] = 3,
    limit: ListOption = 100,
    after: AfterOption = None,
    directory: DirOption = None,
    api: ApiOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show one want: partitions, job runs, derivative wants.

    Attempts at one piece of work are one entry; what a job run missed and asked for stands below it as a tree.

    Example: headwater want 0b6f2f8e-3f5a-4c0e-9a51-2f6c1f0a7d11 --depth 1
    """

    async def question(source: Source) -> dict[str, Any]:
        with refused_cursor():
            found = await source.want(want_id, depth=depth, limit=limit, after=after)
        if found is None:
            raise NotThereError(f"no want {want_id}", "`headwater job-run RUN_ID` names the wants that a run serves")
        return found

    answer = ask(directory, api, question)
    if as_json:
        show_json(answer)
        return
    from ..render.wants import want_page

    show(*want_page(answer))
