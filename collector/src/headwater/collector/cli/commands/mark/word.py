"""One word about generations of a dataset: they are looked up, and an event that names them is sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import typer

from headwater.shared.event import Name

from ...asking import ask
from ...exits import NotThereError, UsageError
from ...nodes import look_up_dataset
from ...output import show_json
from ...sources import Source


class Word(NamedTuple):
    """What is said, of whose generations."""

    dataset: Name
    facet: str
    said: Mapping[str, Any]
    """The facet's own keys, without the generations."""
    at: str | None
    """From when on it holds, as the option has it; None: now."""


class Places(NamedTuple):
    """Where generations are looked up (directory or API, as everywhere), and where the event goes."""

    url: str | None
    """None: where they were looked up."""
    directory: Path | None
    api: str | None


def say(
    word: Word, generations: Sequence[str], places: Places, *, back_to: str | None = None, as_json: bool = False
) -> None:
    """Sends one event that names the generations, or all that were committed after ``back_to``. Raises NotThereError
    for one that nobody wrote, UsageError where there is none to name."""
    from ...emitting.events import event_time, send_events
    from .event import mark_event

    time = event_time(word.at)

    async def question(source: Source) -> tuple[dict[str, Any], list[str]]:
        found = await look_up_dataset(source, *word.dataset)
        if back_to is not None:
            return found, _after(found, back_to)
        await _must_be_known(source, word.dataset, generations)
        return found, list(generations)

    found, named = ask(places.directory, places.api, question)
    if not named:
        about = f"{word.dataset.namespace} {word.dataset.name}"
        raise UsageError("names no generation", f"`headwater evidence {about}` tells them")
    event = mark_event(word.dataset, word.facet, named, word.said, time, found["lastSeen"])
    where = send_events([event], places.url or places.api, places.directory)
    if as_json:
        show_json({"event": event, "where": where})
    else:
        typer.echo(f"said of {', '.join(named)}, sent to {where}")


async def _must_be_known(source: Source, dataset: Name, generations: Sequence[str]) -> None:
    for generation in generations:
        evidence = await source.evidence(dataset, generation)
        if evidence["status"] == "unknown":
            raise NotThereError(f"no run wrote generation {generation} of {dataset.name} ({dataset.namespace})")


def _after(found: dict[str, Any], back_to: str) -> list[str]:
    """The generations committed after this one, oldest first, those that are withdrawn already left out."""
    committed = [one["version"] for one in found["committed"]]
    if back_to not in committed:
        raise NotThereError(f"{back_to} is not among the newest {len(committed)} committed generations")
    following = found["committed"][len(committed) - committed[::-1].index(back_to) :]
    return [one["version"] for one in following if not one["withdrawn"]]
