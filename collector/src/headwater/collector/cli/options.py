"""The options that several commands share, said once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer


def moment(text: str | None) -> str | None:
    """The canonical form of ``--as-of``. Raises UsageError."""
    from headwater.shared import times

    from .exits import UsageError

    try:
        return None if text is None else times.parse(text)
    except ValueError as error:
        raise UsageError(f"--as-of: {error}", "for example 2026-01-31T06:00Z") from error


def one_partition(texts: list[str] | None) -> list[str]:
    """``--partition`` as the questions take it. Raises UsageError."""
    if not texts:
        return []
    from headwater.collector.derive.subsets import parse_partition

    from .exits import UsageError

    try:
        parse_partition(texts)
    except ValueError as error:
        raise UsageError(f"--partition: {error}", "for example --partition date=2026-01-31") from error
    return texts


@contextmanager
def refused_cursor() -> Iterator[None]:
    """What a question refuses is the cursor. Raises UsageError."""
    from .exits import UsageError

    try:
        yield
    except ValueError as error:
        raise UsageError(f"--after: {error}") from None


DirOption = Annotated[
    Path | None,
    typer.Option("--dir", metavar="DIR", help="An embedded directory. [env HEADWATER_DIR; default .headwater]"),
]
ApiOption = Annotated[
    str | None,
    typer.Option("--api", metavar="URL", help="Ask a running headwater instead. [env HEADWATER_API]"),
]
JsonOption = Annotated[bool, typer.Option("--json", help="JSON with stable keys, and nothing else on stdout.")]
GenerationOption = Annotated[
    str | None, typer.Option("--generation", "-g", metavar="G", help="A generation; default: the current one.")
]
FileArgument = Annotated[Path, typer.Argument(metavar="FILE", show_default=False, help="`-` is standard input.")]
AsOfOption = Annotated[
    str | None,
    typer.Option(
        "--as-of",
        metavar="TIME",
        help="As it was then: what was committed and said later does not count.",
        show_default=False,
    ),
]
PartitionOption = Annotated[
    list[str] | None,
    typer.Option(
        "--partition",
        metavar="DIMENSION=VALUE",
        help="Follow one partition; once for each dimension.",
        show_default=False,
    ),
]
ListOption = Annotated[int, typer.Option("--limit", min=1, max=1000, help="At most so many entries of each list.")]
AfterOption = Annotated[
    str | None,
    typer.Option(metavar="CURSOR", help="Go on with the list whose `+X more` says this cursor.", show_default=False),
]
NamespaceArgument = Annotated[str, typer.Argument(metavar="NAMESPACE", show_default=False)]
NameArgument = Annotated[str, typer.Argument(metavar="NAME", show_default=False)]
LogUrlOption = Annotated[
    str | None,
    typer.Option(
        "--url", metavar="URL", help="The log: kafka://host:9092/topic, file:///path. [env HEADWATER_URL, lineage.url]"
    ),
]
DeadlineOption = Annotated[
    float, typer.Option(min=0, metavar="SECONDS", help="How long SIGTERM waits for work in hand.")
]
StoreOption = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="NAME",
        help="An installed store, or composite for all of lineage.store.backends. "
        "[env HEADWATER_STORE, lineage.store.backend]",
    ),
]
CreateTopicsOption = Annotated[bool, typer.Option("--create-topics", help="Make the Kafka topics that are missing.")]
