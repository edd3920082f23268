"""``headwater evidence``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from headwater.shared.event import Name

from ...asking import ask
from ...exits import NotThereError, UsageError
from ...nodes import look_up_dataset
from ...options import (
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
from ...output import show, show_json
from ...sources import Source

FORMATS = ("text", "json", "manifest", "intoto", "prov")


def evidence(
    namespace: NamespaceArgument,
    name: NameArgument,
    generation: GenerationOption = None,
    depth: Annotated[int, typer.Option(min=1, max=100, help="Also the evidence of the inputs, so many levels.")] = 1,
    format_: Annotated[
        str, typer.Option("--format", "-f", metavar="FORMAT", help=f"One of {', '.join(FORMATS)}.")
    ] = "text",
    sign_key: Annotated[
        Path | None,
        typer.Option("--sign-key", metavar="FILE", help="Sign intoto (DSSE) with this Ed25519 key, a PEM file."),
    ] = None,
    partition: PartitionOption = None,
    as_of: AsOfOption = None,
    directory: DirOption = None,
    api: ApiOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say which run, code and inputs made a generation.

    Example: headwater evidence shop revenue --generation rev-0004
    """
    if format_ not in FORMATS:
        raise typer.BadParameter(f"{format_!r}; one of {', '.join(FORMATS)}", param_hint="--format")
    if sign_key is not None and format_ != "intoto":
        raise UsageError("--sign-key is for --format intoto")
    then, part = moment(as_of), one_partition(partition)
    if (then is not None or part) and format_ in FORMATS[2:]:
        raise UsageError(f"--as-of and --partition do not go with --format {format_}")
    if format_ in FORMATS[2:]:
        _export(Name(namespace, name), generation, format_, depth, sign_key, directory, api)
        return

    async def question(source: Source) -> dict[str, Any]:
        await look_up_dataset(source, namespace, name)
        answer = await source.evidence(Name(namespace, name), generation, depth=depth, as_of=then, partition=part)
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
    from ...render.evidence import evidence_page

    show(*evidence_page(answer))


def _export(
    dataset: Name,
    generation: str | None,
    format_: str,
    depth: int,
    sign_key: Path | None,
    directory: Path | None,
    api: str | None,
) -> None:
    from headwater.collector.exports.keys import read_signing_key
    from headwater.collector.exports.manifest import NotPublishedError

    key = None if sign_key is None else read_signing_key(sign_key)

    async def question(source: Source) -> dict[str, Any]:
        await look_up_dataset(source, *dataset)
        return await source.export(dataset, generation, format_, depth=depth)

    try:
        found = ask(directory, api, question)
    except NotPublishedError as error:
        raise NotThereError(
            str(error), f"`headwater evidence {dataset.namespace} {dataset.name}` tells more"
        ) from error
    if key is not None:
        from headwater.collector.exports.dsse import sign
        from headwater.collector.exports.statement import PAYLOAD_TYPE
        from headwater.shared.canonical import canonical_json

        found = sign(canonical_json(found), PAYLOAD_TYPE, key)
    show_json(found)
