"""``headwater run``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ..asking import ask
from ..exits import NotThereError
from ..options import ApiOption, DirOption, JsonOption
from ..output import show, show_json
from ..sources import Source


def run(
    run_id: Annotated[str, typer.Argument(metavar="RUN_ID", show_default=False)],
    directory: DirOption = None,
    api: ApiOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show one run: attempts, reads, writes, state history.

    Example: headwater run 01890a5d-ac96-774b-bcce-b302099a8057
    """

    async def question(source: Source) -> tuple[dict[str, Any], dict[str, Any] | None]:
        from headwater.shared.codec import run_uuid

        found = await source.run(run_uuid(run_id))
        if found is None:
            raise NotThereError(f"no run {run_id}", "`headwater runs` lists the newest")
        key = found.get("logicalKey")
        return found, await source.logical_run(key) if key else None

    found, logical = ask(directory, api, question)
    if as_json:
        show_json({**found, "logicalRun": logical})
        return
    from ..render.run import run_page

    show(*run_page(found, logical))
