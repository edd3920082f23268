"""``headwater impact``."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from headwater.shared.event import Name

from ..asking import ask
from ..nodes import look_up_dataset
from ..options import (
    ApiOption,
    AsOfOption,
    DirOption,
    GenerationOption,
    JsonOption,
    NameArgument,
    NamespaceArgument,
    PartitionOption,
    moment,
    one_partition,
)
from ..output import show, show_json, write_bytes
from ..sources import Source


def impact(
    namespace: NamespaceArgument,
    name: NameArgument,
    generation: GenerationOption = None,
    depth: Annotated[int, typer.Option(min=1, max=1000, help="At most so many levels.")] = 20,
    limit: Annotated[int, typer.Option(min=1, max=1_000_000, help="At most so many generations.")] = 10_000,
    consumers: Annotated[bool, typer.Option("--consumers", help="Also the runs that read any of them.")] = False,
    partition: PartitionOption = None,
    as_of: AsOfOption = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Rows of CSV on stdout.")] = False,
    directory: DirOption = None,
    api: ApiOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say what was made from a generation, and what is tainted.

    Nearest first; tainted is what was made from a generation that is bad.

    Example: headwater impact shop raw_orders --generation snap-3 --csv
    """
    if as_csv and as_json:
        raise typer.BadParameter("exclude each other", param_hint="--csv, --json")
    then, part = moment(as_of), one_partition(partition)

    async def question(source: Source) -> dict[str, Any]:
        await look_up_dataset(source, namespace, name)
        dataset = Name(namespace, name)
        if part:
            return await source.partition(
                dataset, part, generation, upstream=False, max_depth=depth, limit=limit, as_of=then
            )
        return await source.impact(dataset, generation, max_depth=depth, limit=limit, as_of=then, consumers=consumers)

    answer = ask(directory, api, question)
    if as_json:
        show_json(answer)
    elif as_csv:
        from ..render.graph import impact_rows

        write_bytes(_csv(impact_rows(answer)))
        if answer.get("truncated"):
            typer.echo("truncated; see --limit and --depth", err=True)
    else:
        from ..render.graph import impact_page

        show(*impact_page(answer))


def _csv(rows: list[list[str]]) -> bytes:
    import csv
    import io

    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue().encode("utf-8", "replace")
