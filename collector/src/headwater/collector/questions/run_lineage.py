"""Runs up and down from a run: which runs wrote the generations that it read, and which read those that it wrote."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import NamedTuple, TypeAlias

from headwater.collector.questions.lookup import Lookup, Pin
from headwater.collector.questions.walks import reading_runs
from headwater.collector.stores.reading import Claim, RunFacts
from headwater.shared.event import Name


class RunInput(NamedTuple):
    """One generation that a run read, and the runs that committed it: several are a conflict, none is a source."""

    pin: Pin
    produced_by: list[str]


class RunOutput(NamedTuple):
    """One generation that a run wrote, and the runs that read it."""

    claim: Claim
    """Its dataset is canonical."""
    consumed_by: list[str]


class RunStep(NamedTuple):
    run: RunFacts
    distance: int
    inputs: list[RunInput]
    """Where the walk goes upstream."""
    outputs: list[RunOutput]
    """Where the walk goes downstream."""


class RunWalk(NamedTuple):
    steps: list[RunStep]
    """Nearest first."""
    truncated_by: str | None


_Look: TypeAlias = Callable[[Lookup, list[RunFacts]], Awaitable[list[RunStep]]]


async def upstream_runs(lookup: Lookup, start: str, *, depth: int, limit: int) -> RunWalk:
    """Breadth first over what the runs read. Empty where the run is unknown."""
    return await _walk(lookup, start, _inputs, depth, limit)


async def downstream_runs(lookup: Lookup, start: str, *, depth: int, limit: int) -> RunWalk:
    """Breadth first over who read what the runs wrote."""
    return await _walk(lookup, start, _outputs, depth, limit)


async def _walk(lookup: Lookup, start: str, look: _Look, depth: int, limit: int) -> RunWalk:
    steps: dict[str, RunStep] = {}
    frontier = [start]
    for distance in range(depth + 1):
        runs = await lookup.runs(frontier, facets=None)
        found = await look(lookup, [runs[run] for run in frontier if run in runs])
        following: dict[str, None] = {}
        for step in found:
            if len(steps) >= limit:
                return RunWalk(list(steps.values()), "limit")
            steps[step.run.run] = step._replace(distance=distance)
            following.update((run, None) for each in (*step.inputs, *step.outputs) for run in sorted(each[1]))
        frontier = [run for run in following if run not in steps]
        if not frontier:
            return RunWalk(list(steps.values()), None)
    return RunWalk(list(steps.values()), "depth")


async def _inputs(lookup: Lookup, runs: list[RunFacts]) -> list[RunStep]:
    pins = {run.run: await lookup.inputs(run) for run in runs}
    wanted = {(pin.dataset, pin.version) for found in pins.values() for pin in found if pin.version is not None}
    producers: dict[tuple[Name, str], list[str]] = {}
    for claim in await lookup.claims(wanted):
        if claim.commit_time:
            producers.setdefault((lookup.identity.of(claim.dataset), claim.version), []).append(claim.run)
    return [
        RunStep(
            run, 0, [RunInput(pin, producers.get((pin.dataset, pin.version or ""), [])) for pin in pins[run.run]], []
        )
        for run in runs
    ]


async def _outputs(lookup: Lookup, runs: list[RunFacts]) -> list[RunStep]:
    claims = await lookup.claims_of_runs([run.run for run in runs])
    written = [claim._replace(dataset=lookup.identity.of(claim.dataset)) for claim in claims]
    generations = [(claim.dataset, claim.version) for claim in written]
    candidates, _ = await reading_runs(lookup, sorted(set(generations)))
    readers = await lookup.runs(candidates)
    consumed: dict[tuple[Name, str | None], list[str]] = {}
    for reader in sorted(readers.values(), key=lambda run: (run.first_time or "", run.run)):
        for pin in await lookup.inputs(reader):
            consumed.setdefault((pin.dataset, pin.version), []).append(reader.run)
    by_run: dict[str, list[RunOutput]] = {}
    for claim in sorted(written):
        by_run.setdefault(claim.run, []).append(RunOutput(claim, consumed.get((claim.dataset, claim.version), [])))
    return [RunStep(run, 0, [], by_run.get(run.run, [])) for run in runs]
