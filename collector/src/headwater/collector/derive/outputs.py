"""Rules 3 to 5: what a run read and wrote, and which of it is committed. Generic in what stands for a dataset."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable
from typing import Generic, NamedTuple, TypeVar

from headwater.collector.derive.state import StateView

D = TypeVar("D", bound=Hashable)


class Mention(NamedTuple, Generic[D]):
    """One input or output as stated; ``version`` is ``""`` where none was declared."""

    dataset: D
    version: str
    commit_time: str | None
    time: str = ""
    """Of its first mention; only outputs need it."""


class Written(NamedTuple, Generic[D]):
    """A generation that a run wrote: committed, or a candidate where the commit time is None."""

    dataset: D
    version: str
    commit_time: str | None


def effective(mentions: Iterable[Mention[D]]) -> list[Mention[D]]:
    """A mention without a version counts only where no other declares one, and hands its commit mark on."""
    mentions = list(mentions)
    if all(mention.version for mention in mentions) or not any(mention.version for mention in mentions):
        return mentions
    handed: dict[D, str | None] = {mention.dataset: None for mention in mentions if mention.version}
    for mention in mentions:
        if not mention.version and mention.dataset in handed:
            handed[mention.dataset] = mention.commit_time
    kept = []
    for mention in mentions:
        if mention.version:
            marks = [time for time in (mention.commit_time, handed[mention.dataset]) if time]
            kept.append(mention._replace(commit_time=min(marks, default=None)))
        elif mention.dataset not in handed:
            kept.append(mention)
    return kept


def latest(outputs: Iterable[Mention[D]]) -> list[Mention[D]]:
    """Of several versions that a run declares of one output, the one said last, besides those marked as committed:
    Delta's MERGE says the version it found with START and the one it made with COMPLETE."""
    outputs = list(outputs)
    newest: dict[D, str] = {}
    for output in outputs:
        newest[output.dataset] = max(newest.get(output.dataset, ""), output.time)
    return [output for output in outputs if output.commit_time or output.time == newest[output.dataset]]


def derive_written(
    run: str, outputs: Iterable[Mention[D]], state: StateView, no_generation: Collection[D]
) -> tuple[list[Written[D]], list[Written[D]]]:
    """(generations, lifecycle changes). ``no_generation``: the outputs that carry a DROP or RENAME, which publish no
    generation and count when the run commits, like any output."""
    kept = latest(effective(outputs))
    marked = any(output.commit_time for output in kept)
    at_end = state.ended if state.state == "COMPLETED" and not marked else None
    generations: list[Written[D]] = []
    changes: list[Written[D]] = []
    for output in kept:
        written = Written(output.dataset, output.version or implied_version(run), output.commit_time or at_end)
        (changes if output.dataset in no_generation else generations).append(written)
    return generations, changes


def implied_version(run: str) -> str:
    """The generation of a dataset that a run wrote without declaring one."""
    return f"~{run}"
