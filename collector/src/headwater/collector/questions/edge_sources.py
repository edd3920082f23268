"""Where a walk over jobs and datasets takes its edges from: those of now, or those of a time in the past."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, Protocol

from headwater.collector.questions.whole import together
from headwater.collector.stores.reading import JobEdge, Reader
from headwater.shared.event import Name

MAX_RUNS_BACK: Final = 10_000
"""Newest runs of one job that are looked at for its edges at a time in the past."""


class EdgeSource(Protocol):
    """Edges by one of their ends. Names are raw."""

    @property
    def at(self) -> str | None:
        """The time whose edges these are (canonical); None: now."""
        ...

    async def of_jobs(self, jobs: Collection[Name]) -> list[JobEdge]: ...

    async def of_datasets(self, datasets: Collection[Name]) -> list[JobEdge]: ...


class CurrentEdges:
    """Rule 8, kept ready by the stores."""

    at: str | None = None

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    async def of_jobs(self, jobs: Collection[Name]) -> list[JobEdge]:
        return await self._reader.job_edges(jobs, ()) if jobs else []

    async def of_datasets(self, datasets: Collection[Name]) -> list[JobEdge]:
        return await self._reader.job_edges((), datasets) if datasets else []


class PastEdges:
    """Rule 8 as it stood at a time, from the runs that had begun by then. What was deleted through the API since has no
    edges in the past either: no way leads through what no answer shows."""

    def __init__(self, reader: Reader, at: str) -> None:
        self._reader = reader
        self.at: str | None = at
        self._known: dict[Name, list[JobEdge]] = {}

    async def of_jobs(self, jobs: Collection[Name]) -> list[JobEdge]:
        fresh = [job for job in jobs if job not in self._known]
        if fresh:
            assert self.at is not None
            self._known.update((job, []) for job in fresh)
            for edge in await self._shown(await self._reader.job_edges_at(fresh, self.at, MAX_RUNS_BACK)):
                self._known[edge.job].append(edge)
        return [edge for job in jobs for edge in self._known[job]]

    async def _shown(self, edges: Collection[JobEdge]) -> list[JobEdge]:
        if not edges:
            return []
        jobs, datasets = await together(
            self._reader.jobs({edge.job for edge in edges}), self._reader.datasets({edge.dataset for edge in edges})
        )
        hidden_jobs = {name for name, facts in jobs.items() if facts.deleted}
        hidden = {name for name, facts in datasets.items() if facts.deleted}
        return [edge for edge in edges if edge.job not in hidden_jobs and edge.dataset not in hidden]

    async def of_datasets(self, datasets: Collection[Name]) -> list[JobEdge]:
        wanted = set(datasets)
        jobs = sorted(await self._reader.edge_jobs(wanted)) if wanted else []
        return [edge for edge in await self.of_jobs(jobs) if edge.dataset in wanted]


def edges_at(reader: Reader, at: str | None) -> EdgeSource:
    return CurrentEdges(reader) if at is None else PastEdges(reader, at)
