"""``headwater evidence``."""

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

FORMATS = ("text", "json")


def evidence(
    namespace: NamespaceArgument,
    name: NameArgument,
    generation: GenerationOption = None,
    depth: Annotated[int, typer.Option(min=1, max=100, help="Also the evidence of the inputs, so many levels.")] = 1,
    format_: Annotated[str, typer.Option("--format", "-f", metavar="FORMAT", help="text or json.")] = "text",
    directory: DirOption = None,
    api: ApiOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say which run, code and inputs made a generation.

    Example: headwater evidence shop revenue --generation rev-0004
    """
    if format_ not in FORMATS:
        raise typer.BadParameter(f"{format_!r}; one of {', '.join(FORMATS)}", param_hint="--format")

    async def question(source: Source) -> dict[str, Any]:
        await look_up_dataset(source, namespace, name)
        answer = await source.evidence(Name(namespace, name), generation, depth=depth)
        if generation is not None and answer["status"] == "unknown":
            raise NotThereError(
                f"no run wrote generation {generation} of {name} ({namespace})",
                f"`headwater evidence {namespace} {name}` tells the current one and the candidates",
            )
        return answer

    answer = ask(directory, api, question)
    if as_json or format_ == "json":
        show_json(answer)
        return
    from ..render.evidence import evidence_page

    show(*evidence_page(answer))
