"""``headwater mark withdraw``, ``restore``, ``bad`` and ``clear``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from headwater.shared.event import Name

from ...asking import ask
from ...exits import NotThereError, UsageError
from ...nodes import look_up_dataset
from ...options import ApiOption, DirOption, JsonOption, NameArgument, NamespaceArgument
from ...output import show_json
from ...sources import Source

GenerationsArgument = Annotated[
    list[str] | None, typer.Argument(metavar="GENERATION...", help="Versions of the dataset.", show_default=False)
]
ReasonOption = Annotated[str, typer.Option("--reason", "-r", metavar="TEXT", help="Why, for who reads it later.")]
AuthorOption = Annotated[str | None, typer.Option(metavar="NAME", help="Who says so.")]
AtOption = Annotated[
    str | None, typer.Option(metavar="TIME", help="From when on it holds; default: now.", show_default=False)
]
UrlOption = Annotated[
    str | None,
    typer.Option(metavar="URL", help="Where the event goes, as for `headwater emit`; default: where it was looked up."),
]


def withdraw(
    namespace: NamespaceArgument,
    name: NameArgument,
    reason: ReasonOption,
    generations: GenerationsArgument = None,
    back_to: Annotated[
        str | None, typer.Option(metavar="G", help="Instead: every generation committed after this one.")
    ] = None,
    author: AuthorOption = None,
    at: AtOption = None,
    url: UrlOption = None,
    directory: DirOption = None,
    api: ApiOption = None,
    as_json: JsonOption = False,
) -> None:
    """Withdraw generations: what was committed before them is current again. Nothing is deleted.

    Example: headwater mark withdraw shop revenue rev-0004 --reason "wrong currency"
    """
    if bool(generations) == bool(back_to):
        raise UsageError("give either generations or --back-to")
    said = {"withdrawn": True, "reason": reason, "author": author}
    _say("headwater_withdrawal", Name(namespace, name), generations, back_to, said, at, url, directory, api, as_json)


def restore(
    namespace: NamespaceArgument,
    name: NameArgument,
    generations: GenerationsArgument = None,
    reason: ReasonOption = "",
    author: AuthorOption = None,
    at: AtOption = None,
    url: UrlOption = None,
    directory: DirOption = None,
    api: ApiOption = None,
    as_json: JsonOption = False,
) -> None:
    """Take a withdrawal back.

    Example: headwater mark restore shop revenue rev-0004 --reason "it was right"
    """
    said = {"withdrawn": False, "reason": reason or None, "author": author}
    _say("headwater_withdrawal", Name(namespace, name), generations, None, said, at, url, directory, api, as_json)


def bad(
    namespace: NamespaceArgument,
    name: NameArgument,
    reason: ReasonOption,
    generations: GenerationsArgument = None,
    author: AuthorOption = None,
    at: AtOption = None,
    url: UrlOption = None,
    directory: DirOption = None,
    api: ApiOption = None,
    as_json: JsonOption = False,
) -> None:
    """Call generations bad: what was made from them is tainted, see `headwater impact`.

    Example: headwater mark bad shop raw_orders snap-3 --reason "half a file"
    """
    said = {"bad": True, "reason": reason, "author": author}
    _say("headwater_bad", Name(namespace, name), generations, None, said, at, url, directory, api, as_json)


def clear(
    namespace: NamespaceArgument,
    name: NameArgument,
    generations: GenerationsArgument = None,
    reason: ReasonOption = "",
    author: AuthorOption = None,
    at: AtOption = None,
    url: UrlOption = None,
    directory: DirOption = None,
    api: ApiOption = None,
    as_json: JsonOption = False,
) -> None:
    """Say that generations are not bad, or no longer; taint from upstream that is known by now ends there.

    Example: headwater mark clear shop revenue rev-0004 --reason "checked by hand"
    """
    said = {"bad": False, "reason": reason or None, "author": author}
    _say("headwater_bad", Name(namespace, name), generations, None, said, at, url, directory, api, as_json)


def _say(
    facet: str,
    dataset: Name,
    generations: list[str] | None,
    back_to: str | None,
    said: dict[str, Any],
    at: str | None,
    url: str | None,
    directory: Path | None,
    api: str | None,
    as_json: bool,
) -> None:
    """Looks the generations up, and sends one event that names them all."""
    from ...emitting.events import event_time, send_events
    from .event import mark_event

    time = event_time(at)

    async def question(source: Source) -> tuple[dict[str, Any], list[str]]:
        found = await look_up_dataset(source, *dataset)
        if back_to is not None:
            return found, _after(found, back_to)
        for generation in generations or ():
            evidence = await source.evidence(dataset, generation)
            if evidence["status"] == "unknown":
                raise NotThereError(f"no run wrote generation {generation} of {dataset.name} ({dataset.namespace})")
        return found, list(generations or ())

    found, named = ask(directory, api, question)
    if not named:
        raise UsageError("names no generation", f"`headwater evidence {dataset.namespace} {dataset.name}` tells them")
    event = mark_event(dataset, facet, named, {k: v for k, v in said.items() if v is not None}, time, found["lastSeen"])
    where = send_events([event], url or api, directory)
    if as_json:
        show_json({"event": event, "where": where})
    else:
        typer.echo(f"said of {', '.join(named)}, sent to {where}")


def _after(found: dict[str, Any], back_to: str) -> list[str]:
    """The generations committed after this one, oldest first, those that are withdrawn already left out."""
    committed = [one["version"] for one in found["committed"]]
    if back_to not in committed:
        raise NotThereError(f"{back_to} is not among the newest {len(committed)} committed generations")
    following = found["committed"][len(committed) - committed[::-1].index(back_to) :]
    return [one["version"] for one in following if not one["withdrawn"]]
