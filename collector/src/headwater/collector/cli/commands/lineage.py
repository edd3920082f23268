"""``headwater lineage``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from headwater.shared.event import Name

from ..asking import ask
from ..exits import NotThereError
from ..nodes import look_up
from ..options import ApiOption, AsOfOption, DirOption, JsonOption, moment
from ..output import show, show_json
from ..sources import Source


def lineage(
    node: Annotated[
        list[str],
        typer.Argument(metavar="NODE", help="job:NAMESPACE:NAME, dataset:NAMESPACE:NAME, or NAMESPACE NAME."),
    ],
    up: Annotated[int, typer.Option(min=0, max=1000, help="Levels of jobs before it.")] = 5,
    down: Annotated[int, typer.Option(min=0, max=1000, help="Levels of jobs after it.")] = 5,
    columns: Annotated[bool, typer.Option("--columns", help="Also what each dataset's columns come from.")] = False,
    as_of: AsOfOption = None,
    directory: DirOption = None,
    api: ApiOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the graph around a job or dataset, as a tree.

    Example: headwater lineage dataset:shop:revenue --up 3 --down 0 --columns
    """
    then = moment(as_of)

    async def question(source: Source) -> tuple[dict[str, Any], dict[str, Any] | None]:
        found, _ = await look_up(source, node)
        answer = await source.lineage(found.name, found.kind, up=up, down=down, as_of=then)
        if answer is None:
            raise NotThereError(f"no event names {' '.join(node)}")
        return answer, await _columns(source, answer, then) if columns else None

    answer, told = ask(directory, api, question)
    if as_json:
        show_json(answer if told is None else {**answer, "columns": told})
        return
    from ..render.graph import lineage_page

    show(*lineage_page(answer, told))


async def _columns(source: Source, answer: dict[str, Any], as_of: str | None) -> dict[str, Any]:
    """Per dataset node, its current generation's columns with what each directly comes from."""
    told = {}
    for node in answer["nodes"]:
        if node["type"] == "DATASET":
            evidence = await source.evidence(Name(node["namespace"], node["name"]), as_of=as_of)
            if evidence.get("columns"):
                told[node["id"]] = evidence["columns"]
    return told
