"""A reader for one question, which asks the server less often: with what is asked for it reads what follows from it,
and it remembers that for as long as the question lasts.

A way to the server and back takes a millisecond, as long as finding twenty nodes does. A walk asks for edges, then for
the other names of the datasets at their ends, then for the edges of those: here that is one statement a level.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from headwater.collector.facts import Mark
from headwater.collector.stores.graph import keys, read_generations, read_runs
from headwater.collector.stores.graph.fetching import Fetch
from headwater.collector.stores.graph.read_neighbours import Neighbours, around_datasets, around_jobs
from headwater.collector.stores.reading import Claim, Drop, GraphReader, JobEdge, Link, PinQuery, RunFacts
from headwater.shared.event import Name


class ReadingAhead:
    """Passes on to ``reader`` what it does not know. It sees no later writes to what it has read."""

    def __init__(self, reader: GraphReader, fetch: Fetch) -> None:
        self._reader, self._fetch = reader, fetch
        self._of_jobs: dict[Name, list[JobEdge]] = {}
        self._tied: dict[Name, bool] = {}
        """Datasets at the ends of edges: whether they may have links or drops."""
        self._claims: dict[str, list[Claim]] = {}
        self._unmarked: set[tuple[Name, str]] = set()
        """Generations of which nothing was said."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reader, name)

    async def job_edges(self, jobs: Collection[Name], datasets: Collection[Name]) -> list[JobEdge]:
        found: list[JobEdge] = []
        if fresh := [job for job in jobs if job not in self._of_jobs]:
            self._learn(await around_jobs(self._fetch, fresh))
        if datasets:
            around = await around_datasets(self._fetch, datasets, known=self._of_jobs)
            self._learn(around)
            found += around.of_datasets
        found += [edge for job in jobs for edge in self._of_jobs[job]]
        return sorted(set(found) if jobs and datasets else found)

    def _learn(self, around: Neighbours) -> None:
        self._of_jobs |= around.of_jobs
        self._tied |= around.tied

    async def links(self, datasets: Collection[Name]) -> list[Link]:
        asked = self._maybe_tied(datasets)
        return await self._reader.links(asked) if asked else []

    async def drops(self, datasets: Collection[Name]) -> list[Drop]:
        asked = self._maybe_tied(datasets)
        return await self._reader.drops(asked) if asked else []

    def _maybe_tied(self, datasets: Collection[Name]) -> list[Name]:
        return [name for name in datasets if self._tied.get(name, True)]

    async def runs(
        self,
        runs: Collection[str],
        *,
        io: bool = True,
        facets: Collection[str] | None = None,
        described: Collection[str] | None = None,
    ) -> dict[str, RunFacts]:
        found = await read_runs.runs_and_claims(self._fetch, runs, io, facets, described)
        self._claims.update((run, claims) for run, (_, claims) in found.items())
        return {run: facts for run, (facts, _) in found.items()}

    async def claims_of_runs(self, runs: Collection[str]) -> list[Claim]:
        fresh = [run for run in runs if run not in self._claims]
        known = [claim for run in runs for claim in self._claims.get(run, ())]
        return known + (await self._reader.claims_of_runs(fresh) if fresh else [])

    async def current(self, pins: Sequence[PinQuery]) -> list[Claim | None]:
        runs = {pin.run for pin in pins if pin.run}
        own = {
            run: {(keys.of(claim.dataset), claim.version) for claim in self._claims[run]}
            for run in runs
            if run in self._claims
        }
        if fresh := runs - own.keys():
            own |= await read_generations.own_generations(self._fetch, fresh)
        found = await read_generations.current_and_marked(self._fetch, pins, own)
        self._unmarked.update((each.claim.dataset, each.claim.version) for each in found if each and not each.marked)
        return [each and each.claim for each in found]

    async def marks(self, generations: Collection[tuple[Name, str]]) -> list[Mark]:
        asked = [each for each in generations if each not in self._unmarked]
        return await self._reader.marks(asked) if asked else []
