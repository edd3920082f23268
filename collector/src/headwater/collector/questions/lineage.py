"""The graph of jobs and datasets by current edges (rule 8): nearest first, cut at a stated limit."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Literal, NamedTuple, TypeAlias

from headwater.collector.facts import Side
from headwater.collector.questions.lookup import Lookup
from headwater.collector.questions.shapes import Json
from headwater.shared.event import Name

NodeKind: TypeAlias = Literal["job", "dataset"]
Node: TypeAlias = tuple[NodeKind, Name]


class Graph(NamedTuple):
    """``distances`` counts jobs passed: the start is 0. ``edges`` follow the data, both ends among the nodes."""

    distances: dict[Node, int]
    edges: set[tuple[Node, Node]]
    truncated_by: str | None


class _Growth:
    """A graph that grows by whole levels of jobs, up to a number of nodes."""

    def __init__(self, lookup: Lookup, limit: int) -> None:
        self.lookup, self.limit = lookup, limit
        self.distances: dict[Node, int] = {}
        self.edges: set[tuple[Node, Node]] = set()
        self.cut = False

    def reach(self, node: Node, distance: int) -> bool:
        """True if the node is new and there is room for it."""
        if node in self.distances:
            return False
        if len(self.distances) >= self.limit:
            self.cut = True
            return False
        self.distances[node] = distance
        return True

    async def datasets_of(self, jobs: Collection[Name], sides: Collection[Side], distance: int) -> set[Name]:
        """Adds the datasets of these jobs; returns the new ones."""
        fresh: set[Name] = set()
        for job, side, dataset in await self._job_edges(jobs, ()):
            if side in sides:
                if self.reach(("dataset", dataset), distance):
                    fresh.add(dataset)
                self.join(job, side, dataset)
        return fresh

    async def jobs_of(self, datasets: Iterable[Name], side: Side, distance: int) -> set[Name]:
        """Adds the jobs that have these datasets on ``side``; returns the new ones."""
        fresh: set[Name] = set()
        for job, found, dataset in await self._job_edges((), datasets):
            if found is side:
                if self.reach(("job", job), distance):
                    fresh.add(job)
                self.join(job, side, dataset)
        return fresh

    def join(self, job: Name, side: Side, dataset: Name) -> None:
        ends: tuple[Node, Node] = (("dataset", dataset), ("job", job))
        if ends[0] in self.distances and ends[1] in self.distances:
            self.edges.add(ends if side is Side.INPUT else (ends[1], ends[0]))

    async def _job_edges(self, jobs: Collection[Name], datasets: Iterable[Name]) -> list[tuple[Name, Side, Name]]:
        """Current edges with canonical dataset names, in a stable order."""
        members = [member for name in datasets for member in self.lookup.identity.members(name)]
        found = await self.lookup.reader.job_edges(jobs, members)
        await self.lookup.identify(edge.dataset for edge in found)
        return sorted({(edge.job, edge.side, self.lookup.identity.of(edge.dataset)) for edge in found})

    def graph(self, more: bool) -> Graph:
        return Graph(self.distances, self.edges, "limit" if self.cut else "depth" if more else None)


async def directed(lookup: Lookup, start: Node, *, up: int, down: int, limit: int) -> Graph:
    """What lies upstream within ``up`` jobs and downstream within ``down`` jobs."""
    growth = _Growth(lookup, limit)
    growth.reach(start, 0)
    more = False
    for hops, towards, back in ((up, Side.INPUT, Side.OUTPUT), (down, Side.OUTPUT, Side.INPUT)):
        kind, name = start
        datasets = {name} if kind == "dataset" else await growth.datasets_of([name], [towards], 0)
        for distance in range(1, hops + 1):
            jobs = await growth.jobs_of(datasets, back, distance)
            datasets = await growth.datasets_of(jobs, [towards], distance)
            if not datasets:
                break
        more = more or bool(datasets and hops and await _has_jobs(growth, datasets, back))
    return growth.graph(more)


async def _has_jobs(growth: _Growth, datasets: set[Name], side: Side) -> bool:
    return any(
        found is side and ("job", job) not in growth.distances
        for job, found, _ in await growth._job_edges((), datasets)
    )


async def neighbourhood(lookup: Lookup, start: Node, *, depth: int, limit: int) -> Graph:
    """Marquez's graph: a job (or a dataset's latest writer, else reader) with all its datasets, and ``depth`` times
    every job that shares one of them, whichever way the data flows."""
    growth = _Growth(lookup, limit)
    growth.reach(start, 0)
    kind, name = start
    jobs = {name} if kind == "job" else await _first_job(growth, name)
    for job in jobs:
        growth.reach(("job", job), 0)
    both = (Side.INPUT, Side.OUTPUT)
    datasets = await growth.datasets_of(jobs, both, 0) | ({name} if kind == "dataset" else set())
    for distance in range(1, depth + 1):
        jobs = await growth.jobs_of(datasets, Side.INPUT, distance) | await growth.jobs_of(
            datasets, Side.OUTPUT, distance
        )
        datasets = await growth.datasets_of(jobs, both, distance)
        if not datasets:
            return growth.graph(False)
    return growth.graph(True)


async def _first_job(growth: _Growth, dataset: Name) -> set[Name]:
    members = growth.lookup.identity.members(dataset)
    edges = await growth.lookup.reader.job_edges((), members)
    latest = sorted(edges, key=lambda edge: (edge.side is Side.OUTPUT, edge.last_time, edge.job))
    return {latest[-1].job} if latest else set()


def node_id(node: Node) -> str:
    kind, name = node
    return f"{kind}:{name.namespace}:{name.name}"


def graph_json(graph: Graph) -> Json:
    """Nodes nearest first, edges by their ends."""
    ordered = sorted(graph.distances.items(), key=lambda item: (item[1], item[0]))
    return {
        "nodes": [
            {
                "id": node_id(node),
                "type": node[0].upper(),
                "namespace": node[1].namespace,
                "name": node[1].name,
                "distance": distance,
            }
            for node, distance in ordered
        ],
        "edges": [{"origin": node_id(a), "destination": node_id(b)} for a, b in sorted(graph.edges)],
        "truncated": graph.truncated_by is not None,
        "truncatedBy": graph.truncated_by,
    }
