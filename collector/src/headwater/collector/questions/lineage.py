"""The graph of jobs and datasets by edges (rule 8): nearest first, cut at a stated limit."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple, TypeAlias

from headwater.collector.facts import Side
from headwater.collector.questions.edge_sources import EdgeSource, edges_at
from headwater.collector.questions.lookup import Lookup
from headwater.collector.questions.shapes import Json
from headwater.collector.questions.stated import Stated, stated_sources
from headwater.collector.stores.reading import Node
from headwater.shared.event import Name

Edge: TypeAlias = tuple[Name, Side, Name]
"""(job, side, canonical dataset)."""


class Graph(NamedTuple):
    """``distances`` counts jobs passed: the start is 0. ``edges`` follow the data, both ends among the nodes."""

    distances: dict[Node, int]
    edges: set[tuple[Node, Node]]
    truncated_by: str | None


class _Growth:
    """A graph that grows by whole levels of jobs, up to a number of nodes."""

    def __init__(self, lookup: Lookup, limit: int, edges: EdgeSource) -> None:
        self.lookup, self.limit, self.source = lookup, limit, edges
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

    def reach_datasets(self, edges: Iterable[Edge], distance: int) -> set[Name]:
        """Adds the datasets of these edges, and the edges; returns the new ones."""
        fresh: set[Name] = set()
        for job, side, dataset in edges:
            if self.reach(("dataset", dataset), distance):
                fresh.add(dataset)
            self.join(job, side, dataset)
        return fresh

    def reach_jobs(self, edges: Iterable[Edge], distance: int) -> set[Name]:
        """Adds the jobs of these edges, and the edges; returns the new ones."""
        fresh: set[Name] = set()
        for job, side, dataset in edges:
            if self.reach(("job", job), distance):
                fresh.add(job)
            self.join(job, side, dataset)
        return fresh

    def join(self, job: Name, side: Side, dataset: Name) -> None:
        ends: tuple[Node, Node] = (("dataset", dataset), ("job", job))
        if ends[0] in self.distances and ends[1] in self.distances:
            self.edges.add(ends if side is Side.INPUT else (ends[1], ends[0]))

    async def of_jobs(self, jobs: Collection[Name]) -> Collection[Edge]:
        """Edges of these jobs with canonical dataset names, in a stable order where the limit may cut them."""
        return await self._identified(await self.source.of_jobs(sorted(jobs)))

    async def of_datasets(self, datasets: Iterable[Name]) -> Collection[Edge]:
        """Edges of these datasets, under any of their names, ordered as ``of_jobs``."""
        members = [member for name in sorted(datasets) for member in self.lookup.identity.members(name)]
        return await self._identified(await self.source.of_datasets(members))

    async def _identified(self, found: Collection[tuple[Name, Side, Name, str]]) -> Collection[Edge]:
        await self.lookup.identify(dataset for _, _, dataset, _ in found)
        edges = {(job, side, self.lookup.identity.of(dataset)) for job, side, dataset, _ in found}
        return edges if len(self.distances) + len(edges) <= self.limit else sorted(edges)

    def graph(self, more: bool) -> Graph:
        return Graph(self.distances, self.edges, "limit" if self.cut else "depth" if more else None)


async def directed(lookup: Lookup, start: Node, *, up: int, down: int, limit: int, at: str | None = None) -> Graph:
    """What lies upstream within ``up`` jobs and downstream within ``down`` jobs. Where a job states by the explicit
    lineage facet what an output was made from, only that is passed through it."""
    growth = _Growth(lookup, limit, edges_at(lookup.reader, at))
    growth.reach(start, 0)
    more = False
    for hops, towards, back in ((up, Side.INPUT, Side.OUTPUT), (down, Side.OUTPUT, Side.INPUT)):
        datasets = await _first_datasets(growth, start, towards)
        for distance in range(1, hops + 1):
            arrived = [edge for edge in await growth.of_datasets(datasets) if edge[1] is back]
            growth.reach_jobs(arrived, distance)
            jobs = {job for job, _, _ in arrived if ("job", job) in growth.distances}
            stated = await stated_sources(lookup, jobs, at)
            onward = _onward(await growth.of_jobs(jobs), arrived, stated, towards)
            datasets = growth.reach_datasets(onward, distance)
            if not datasets:
                break
        more = more or bool(datasets and hops and await _has_jobs(growth, datasets, back))
    return growth.graph(more)


async def _first_datasets(growth: _Growth, start: Node, towards: Side) -> set[Name]:
    kind, name = start
    if kind == "dataset":
        return {name}
    return growth.reach_datasets([edge for edge in await growth.of_jobs([name]) if edge[1] is towards], 0)


def _onward(edges: Iterable[Edge], arrived: Iterable[Edge], stated: Stated, towards: Side) -> list[Edge]:
    """Of these jobs' edges those that lead on from the datasets by which they were arrived at."""
    came: dict[Name, set[Name]] = {}
    for job, _, dataset in arrived:
        came.setdefault(job, set()).add(dataset)
    found: set[Edge] = set()
    for job, side, dataset in edges:
        if side is not towards:
            continue
        said = stated.get(job, {})
        if towards is Side.INPUT:
            led = any(output not in said or dataset in said[output] for output in came[job])
        else:
            led = dataset not in said or not said[dataset].isdisjoint(came[job])
        if led:
            found.add((job, side, dataset))
    if towards is Side.INPUT:  # sources that only the facet names
        found |= {
            (job, towards, source)
            for job, said in stated.items()
            for output, sources in said.items()
            if output in came.get(job, ())
            for source in sources
        }
    return sorted(found)


async def _has_jobs(growth: _Growth, datasets: set[Name], side: Side) -> bool:
    return any(
        found is side and ("job", job) not in growth.distances for job, found, _ in await growth.of_datasets(datasets)
    )


async def neighbourhood(lookup: Lookup, start: Node, *, depth: int, limit: int, at: str | None = None) -> Graph:
    """Marquez's graph: a job (or a dataset's latest writer, else reader) with all its datasets, and ``depth`` times
    every job that shares one of them, whichever way the data flows."""
    growth = _Growth(lookup, limit, edges_at(lookup.reader, at))
    growth.reach(start, 0)
    kind, name = start
    jobs = {name} if kind == "job" else await _first_job(growth, name)
    for job in jobs:
        growth.reach(("job", job), 0)
    datasets = growth.reach_datasets(await growth.of_jobs(jobs), 0) | ({name} if kind == "dataset" else set())
    for distance in range(1, depth + 1):
        jobs = growth.reach_jobs(await growth.of_datasets(datasets), distance)
        datasets = growth.reach_datasets(await growth.of_jobs(jobs), distance)
        if not datasets:
            return growth.graph(False)
    return growth.graph(any(("job", job) not in growth.distances for job, _, _ in await growth.of_datasets(datasets)))


async def _first_job(growth: _Growth, dataset: Name) -> set[Name]:
    edges = await growth.source.of_datasets(growth.lookup.identity.members(dataset))
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
