"""``headwater job-run``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ..asking import ask
from ..exits import NotThereError
from ..options import AfterOption, ApiOption, DirOption, JsonOption, ListOption, refused_cursor
from ..output import show, show_json
from ..sources import Source


def job_run(
    run_id: Annotated[str, typer.Argument(metavar="RUN_ID", show_default=False)],
    limit: ListOption = 100,
    after: AfterOption = None,
    directory: DirOption = None,
    api: ApiOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a run as a build system does: wants, instances, status.

    Example: headwater job-run 01890a5d-ac96-774b-bcce-b302099a8057
    """

    async def question(source: Source) -> dict[str, Any]:
        with refused_cursor():
            found = await source.job_run(run_id, limit=limit, after=after)
        if found is None:
            raise NotThereError(f"no job run {run_id}", "`headwater runs` lists the newest")
        return found

    answer = ask(directory, api, question)
    if as_json:
        show_json(answer)
        return
    from ..render.wants import job_run_page

    show(*job_run_page(answer))
