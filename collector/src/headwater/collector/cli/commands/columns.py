"""``headwater columns``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from headwater.shared.event import Name

from ..asking import ask
from ..exits import NotThereError
from ..nodes import look_up_dataset
from ..options import ApiOption, DirOption, GenerationOption, JsonOption, NameArgument, NamespaceArgument
from ..output import show, show_json
from ..sources import Source


def columns(
    namespace: NamespaceArgument,
    name: NameArgument,
    column: Annotated[
        str | None, typer.Argument(metavar="COLUMN", help="Walk this column back to its sources.", show_default=False)
    ] = None,
    generation: GenerationOption = None,
    depth: Annotated[int, typer.Option(min=1, max=1000, help="At most so many levels.")] = 20,
    directory: DirOption = None,
    api: ApiOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say what a dataset's columns come from.

    With COLUMN, walk that one back to its sources, step by step.

    Example: headwater columns shop revenue revenue_eur
    """

    async def question(source: Source) -> dict[str, Any]:
        await look_up_dataset(source, namespace, name)
        answer = await source.evidence(Name(namespace, name), generation)
        told = answer.get("columns") or {}
        base = {"dataset": answer["dataset"], "generation": answer["generation"]}
        if column is None:
            return {**base, "columns": told}
        if column not in told:
            known = ", ".join(told) or "none"
            raise NotThereError(f"nothing is said about column {column}", f"columns with lineage: {known}")
        walked = await source.column_sources(Name(namespace, name), answer["generation"], column, max_depth=depth)
        return {**base, "column": column, **walked}

    answer = ask(directory, api, question)
    if as_json:
        show_json(answer)
        return
    from ..render.graph import column_page, columns_page, dataset_title

    show(dataset_title(answer["dataset"], answer["generation"]))
    show(*(columns_page(answer["columns"]) if column is None else column_page(answer)))
