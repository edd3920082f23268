"""``headwater audit verify``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...exits import DONE, NOT_DONE, UsageError
from ...options import DirOption, JsonOption
from ...output import show_json, show_lines
from .opening import StoreOption, audited_stores

if TYPE_CHECKING:
    from headwater.collector.audit.verifying import Anchor


def verify(
    heads: Annotated[
        list[str] | None,
        typer.Option("--head", metavar="N:HASH", help="A head that was kept elsewhere; may be repeated."),
    ] = None,
    stores: StoreOption = None,
    directory: DirOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find events that were altered or removed after they were sealed.

    Reads the whole chain and every event that it names. Without --head it cannot tell a chain that was made anew from
    the first one. Status 1: something is not as it was sealed.

    Example: headwater audit verify --head 120:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
    """
    import asyncio

    found = asyncio.run(_verify([_anchor(each) for each in heads or ()], stores, directory))
    if as_json:
        show_json(found)
    else:
        for name, done in found.items():
            show_lines(_lines(name, done))
    raise typer.Exit(DONE if all(done["intact"] for done in found.values()) else NOT_DONE)


def _anchor(text: str) -> Anchor:
    from headwater.collector.audit.verifying import Anchor

    if not (found := re.fullmatch(r"([1-9]\d{0,17}):([0-9a-f]{64})", text)):
        raise UsageError(
            f"--head {text!r}", "give what `headwater audit head` printed: a number, a colon, 64 hex digits"
        )
    return Anchor(int(found[1]), found[2])


async def _verify(anchors: list[Anchor], names: list[str] | None, directory: Path | None) -> dict[str, Any]:
    from headwater.collector.audit.verifying import Verifier

    from ...working import progress_bar

    found = {}
    async with audited_stores(directory, names, writing=False) as stores:
        if anchors and len(stores) > 1:
            raise UsageError("--head is of one store's chain", "say which with --store")
        with progress_bar() as progress:
            for store in stores:
                verifier = Verifier(store.trail, store.ids, anchors=anchors, progress=progress)
                found[store.name] = (await verifier.run()).as_dict()
    return found


def _lines(name: str, done: dict[str, Any]) -> list[str]:
    removed = f", {done['removed']:,} of them taken away on purpose" if done["removed"] else ""
    unsealed = f"; {done['unsealed']:,} stored events are not sealed yet" if done["unsealed"] else ""
    late = f" ({done['late']:,} of them came in before the last seal)" if done["late"] else ""
    lines = [f"{name}: {done['seals']:,} seals, {done['events']:,} events{removed}{unsealed}{late}"]
    if done["intact"]:
        anchored = " and the head is in the chain" if done["anchored"] else "; no --head was given"
        return [*lines, f"  intact: every sealed event is what it was{anchored}"]
    lines.append(f"  NOT intact: {done['found']:,} findings")
    lines += [f"  {each['message']} (seal {each['seal']})" for each in done["findings"]]
    return [*lines, *(["  ..."] if done["truncated"] else [])]
