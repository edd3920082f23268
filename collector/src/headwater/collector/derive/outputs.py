"""Rules 3 to 5: what a run read and wrote, and which of it is committed."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from headwater.collector.derive.state import StateView
from headwater.collector.facts import Side
from headwater.collector.stores.reading import IO, Claim
from headwater.shared.event import Name


def effective(io: Iterable[IO], side: Side) -> list[IO]:
    """The run's mentions on one side: one without a version counts only where no other declares one, and hands its
    commit mark on."""
    mentions = [mention for mention in io if mention.side is side]
    declared: dict[Name, str | None] = {}
    for mention in mentions:
        if mention.version:
            declared[mention.dataset] = None
    for mention in mentions:
        if not mention.version and mention.dataset in declared:
            declared[mention.dataset] = mention.commit_time
    kept = []
    for mention in mentions:
        if mention.version:
            marks = [time for time in (mention.commit_time, declared[mention.dataset]) if time]
            kept.append(mention._replace(commit_time=min(marks, default=None)))
        elif mention.dataset not in declared:
            kept.append(mention)
    return kept


class Written(NamedTuple):
    """A run's outputs as claims, and its lifecycle outputs apart (a DROP or RENAME publishes no generation)."""

    claims: list[Claim]
    lifecycle: list[tuple[Name, str | None]]
    """(dataset, commit time or None)."""


def derive_written(run: str, io: Iterable[IO], state: StateView, no_generation: Collection[Name]) -> Written:
    """``no_generation``: the outputs that carry a lifecycle change DROP or RENAME."""
    outputs = effective(io, Side.OUTPUT)
    marked = any(output.commit_time for output in outputs)
    at_end = state.ended if state.state == "COMPLETED" and not marked else None
    claims, lifecycle = [], []
    for output in outputs:
        commit_time = output.commit_time or at_end
        if output.dataset in no_generation:
            lifecycle.append((output.dataset, commit_time))
        else:
            claims.append(Claim(output.dataset, output.version or implied_version(run), run, commit_time))
    return Written(claims, lifecycle)


def implied_version(run: str) -> str:
    """The generation of a dataset that a run wrote without declaring one."""
    return f"~{run}"
