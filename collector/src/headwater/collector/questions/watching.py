"""A reader that notes what an answer is made of, so that the answer can be checked instead of made again."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from headwater.collector.facts import Mark
from headwater.collector.stores.reading import (
    Claim,
    DatasetFacts,
    Drop,
    JobEdge,
    JobFacts,
    Link,
    PinQuery,
    Reader,
    RunFacts,
    RunRow,
)
from headwater.shared.event import Name


class WatchingReader:
    """Passes everything on to ``reader`` and collects which jobs and datasets it was about, see ``Watches``.
    ``covered``: nothing else was asked. Lists and searches, say, depend on what is not in them."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self.jobs_seen: set[Name] = set()
        self.datasets_seen: set[Name] = set()
        self._runs: set[str] = set()
        """Of jobs that were seen."""
        self.covered = True

    def __getattr__(self, name: str) -> Any:
        self.covered = False
        return getattr(self._reader, name)

    async def jobs(self, names: Collection[Name]) -> dict[Name, JobFacts]:
        self.jobs_seen.update(names)
        return await self._reader.jobs(names)

    async def datasets(self, names: Collection[Name]) -> dict[Name, DatasetFacts]:
        self.datasets_seen.update(names)
        return await self._reader.datasets(names)

    async def job_edges(self, jobs: Collection[Name], datasets: Collection[Name]) -> list[JobEdge]:
        self.jobs_seen.update(jobs)
        self.datasets_seen.update(datasets)
        return await self._reader.job_edges(jobs, datasets)

    async def links(self, datasets: Collection[Name]) -> list[Link]:
        self.datasets_seen.update(datasets)
        return await self._reader.links(datasets)

    async def carriers(self, datasets: Collection[Name]) -> set[Name]:
        self.datasets_seen.update(datasets)
        return await self._reader.carriers(datasets)

    async def drops(self, datasets: Collection[Name]) -> list[Drop]:
        self.datasets_seen.update(datasets)
        return await self._reader.drops(datasets)

    async def unpublished(self, datasets: Collection[Name]) -> set[Name]:
        self.datasets_seen.update(datasets)
        return await self._reader.unpublished(datasets)

    async def listed(self, datasets: Collection[Name]) -> set[Name]:
        self.datasets_seen.update(datasets)
        return await self._reader.listed(datasets)

    async def latest_runs(self, jobs: Collection[Name], each: int) -> dict[Name, list[RunRow]]:
        self.jobs_seen.update(jobs)
        found = await self._reader.latest_runs(jobs, each)
        self._know((row.run, row.job) for rows in found.values() for row in rows)
        return found

    async def runs(self, runs: Collection[str], **chosen: Any) -> dict[str, RunFacts]:
        found = await self._reader.runs(runs, **chosen)
        self._know((run, facts.job) for run, facts in found.items())
        self._about_runs(runs)
        return found

    async def run_rows(self, runs: Collection[str]) -> dict[str, RunRow]:
        found = await self._reader.run_rows(runs)
        self._know((run, row.job) for run, row in found.items())
        self._about_runs(runs)
        return found

    async def claims_of_runs(self, runs: Collection[str]) -> list[Claim]:
        self._about_runs(runs)
        return await self._reader.claims_of_runs(runs)

    async def claims(self, generations: Collection[tuple[Name, str]]) -> list[Claim]:
        self.datasets_seen.update(name for name, _ in generations)
        return await self._reader.claims(generations)

    async def history(self, members: Sequence[Name], **chosen: Any) -> list[Claim]:
        self.datasets_seen.update(members)
        return await self._reader.history(members, **chosen)

    async def current(self, pins: Sequence[PinQuery]) -> list[Claim | None]:
        self.datasets_seen.update(member for pin in pins for member in pin.members)
        return await self._reader.current(pins)

    async def next_commit(self, members: Sequence[Name], after: tuple[str, str], run: str) -> Claim | None:
        self.datasets_seen.update(members)
        return await self._reader.next_commit(members, after, run)

    async def marks(self, generations: Collection[tuple[Name, str]]) -> list[Mark]:
        self.datasets_seen.update(name for name, _ in generations)
        return await self._reader.marks(generations)

    def _know(self, runs: Iterable[tuple[str, Name | None]]) -> None:
        for run, job in runs:
            if job is not None:
                self._runs.add(run)
                self.jobs_seen.add(job)

    def _about_runs(self, runs: Collection[str]) -> None:
        """A run that is not there has no job by which its coming would show."""
        self.covered = self.covered and self._runs.issuperset(runs)
