"""A reader for one answer that is built from several views: what one of them has asked is not asked again."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from headwater.collector.derive.identity import Identity
from headwater.collector.stores.reading import DatasetFacts, JobEdge, JobFacts, Link, Node, NodeKind, Reader
from headwater.shared.event import Name


class RememberingReader:
    """Passes everything on to ``reader``, and remembers names, edges of jobs, and facts of jobs and datasets. It sees
    no later writes, so it lives no longer than the answer."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self.identity = Identity()
        """What the views' look-ups have learned of names: they share it."""
        self._links: dict[Name, set[Link]] = {}
        self._jobs: dict[Name, JobFacts | None] = {}
        self._datasets: dict[Name, DatasetFacts | None] = {}
        self.edges: dict[Node, Sequence[JobEdge]] = {}
        """Of the jobs and datasets whose edges were asked for."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reader, name)

    async def links(self, datasets: Collection[Name]) -> list[Link]:
        fresh = {name for name in datasets if name not in self._links}
        if fresh:
            self._links.update((name, set()) for name in fresh)
            for link in await self._reader.links(fresh):
                for end in (link.a, link.b):
                    if end in fresh:
                        self._links[end].add(link)
        return list({link for name in datasets for link in self._links[name]})

    async def jobs(self, names: Collection[Name]) -> dict[Name, JobFacts]:
        fresh = [name for name in names if name not in self._jobs]
        if fresh:
            found = await self._reader.jobs(fresh)
            self._jobs.update((name, found.get(name)) for name in fresh)
        return {name: known for name in names if (known := self._jobs[name]) is not None}

    async def datasets(self, names: Collection[Name]) -> dict[Name, DatasetFacts]:
        fresh = [name for name in names if name not in self._datasets]
        if fresh:
            found = await self._reader.datasets(fresh)
            self._datasets.update((name, found.get(name)) for name in fresh)
        return {name: known for name in names if (known := self._datasets[name]) is not None}

    async def job_edges(self, jobs: Collection[Name], datasets: Collection[Name]) -> list[JobEdge]:
        if jobs and datasets:
            return await self._reader.job_edges(jobs, datasets)
        kind: NodeKind = "job" if jobs else "dataset"
        nodes: list[Node] = [(kind, name) for name in jobs or datasets]
        fresh: dict[Node, list[JobEdge]] = {}
        for node in nodes:
            if node not in self.edges:
                known = self.edges_before(node)
                if known is None:
                    known = fresh[node] = []
                self.edges[node] = known
        if fresh:
            names = [name for _, name in fresh]
            for edge in await self._reader.job_edges(names if jobs else (), () if jobs else names):
                fresh[kind, edge.job if jobs else edge.dataset].append(edge)
        return [edge for node in nodes for edge in self.edges[node]]

    def edges_before(self, node: Node) -> Sequence[JobEdge] | None:
        """What is known already."""
        return None
