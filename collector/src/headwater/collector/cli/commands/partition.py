"""``headwater partition``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from headwater.collector.splits import splits
from headwater.shared.event import Name

from ..asking import ask
from ..exits import NotThereError
from ..nodes import candidates
from ..options import AfterOption, ApiOption, DirOption, GenerationOption, JsonOption, ListOption, refused_cursor
from ..output import show, show_json
from ..sources import Source


def partition(
    ref: Annotated[
        list[str],
        typer.Argument(
            metavar="REF", show_default=False, help="NAMESPACE NAME, NAMESPACE/NAME or dataset:NAMESPACE:NAME."
        ),
    ],
    generation: GenerationOption = None,
    limit: ListOption = 100,
    after: AfterOption = None,
    directory: DirOption = None,
    api: ApiOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a partition: its canonical instance and what built it.

    And from what, who read it since, and the instances before it.

    Example: headwater partition s3://lake/orders/2026-11-29
    """
    wanted = _readings(ref)

    async def question(source: Source) -> dict[str, Any]:
        for name in wanted:
            if await source.dataset(name) is not None:
                with refused_cursor():
                    return await source.instance(name, generation, limit=limit, after=after)
        raise NotThereError(
            f"no partition {' '.join(ref)}", "a partition is a dataset; `headwater job-run RUN_ID` names those of a run"
        )

    answer = ask(directory, api, question)
    if as_json:
        show_json(answer)
        return
    from ..render.wants import partition_page

    show(*partition_page(answer))


def _readings(ref: list[str]) -> list[Name]:
    """What it may mean, the likeliest first. Raises UsageError."""
    if len(ref) == 1 and not ref[0].startswith("dataset:") and (named := list(splits(ref[0], "/"))):
        return named
    return [node.name for node in candidates(ref) if node.kind == "dataset"]
