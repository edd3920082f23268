"""What the explicit lineage facet says between a job's datasets, where it says anything (rule 7): then a way from an
input to an output is one only if the facet states it."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable
from typing import Final, TypeAlias

from headwater.collector.derive.edges import explicit_sources
from headwater.collector.facts import Side
from headwater.collector.questions.lookup import Lookup
from headwater.collector.questions.whole import together
from headwater.collector.stores.reading import RunFacts, RunFilter, RunRow
from headwater.shared.event import Name

RUNS_BACK: Final = 3
"""Newest runs of a job in which its statements are looked for: the newest may have named no output yet."""
_LAST_RUN: Final = "ffffffff-ffff-ffff-ffff-ffffffffffff"
_AT_ONCE: Final = 8

Stated: TypeAlias = dict[Name, dict[Name, set[Name]]]
"""Job to output to the sources stated for it; an output that nothing is stated for is not there."""


async def stated_sources(lookup: Lookup, jobs: Collection[Name], at: str | None) -> Stated:
    """As the newest run of each job that wrote the output says it; ``at``: of the runs that began no later."""
    if not jobs:
        return {}
    rows = await runs_of_jobs(lookup, jobs, at, RUNS_BACK)
    runs = await lookup.runs({row.run for found in rows.values() for row in found})
    found = {job: stated_by(lookup, [runs[row.run] for row in listed]) for job, listed in rows.items()}
    return {job: said for job, said in found.items() if said}


def stated_by(lookup: Lookup, runs: Iterable[RunFacts]) -> dict[Name, set[Name]]:
    """Output to stated sources; of several runs the first that wrote an output counts for it."""
    found: dict[Name, set[Name] | None] = {}
    for run in runs:
        said: dict[Name, set[Name] | None] = {}
        for io in run.io:
            output = lookup.identity.of(io.dataset)
            if io.side is not Side.OUTPUT or output in found:
                continue
            sources = explicit_sources(run, output, io.version, lookup.identity)
            if sources is not None:
                said[output] = (said.get(output) or set()) | sources
            else:
                said.setdefault(output, None)
        found |= said
    return {output: sources for output, sources in found.items() if sources is not None}


async def runs_of_jobs(lookup: Lookup, jobs: Collection[Name], at: str | None, each: int) -> dict[Name, list[RunRow]]:
    """The newest runs of each job, at most ``each``; ``at``: of those that began no later."""
    if at is None:
        return await lookup.reader.latest_runs(jobs, each)
    places = asyncio.Semaphore(_AT_ONCE)

    async def of(job: Name) -> list[RunRow]:
        async with places:
            return await lookup.reader.list_runs(RunFilter(job=job, before=(at, _LAST_RUN)), each)

    ordered = list(jobs)
    return dict(zip(ordered, await together(*(of(job) for job in ordered)), strict=True))
