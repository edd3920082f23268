"""The graph around one generation: what it was made from and what was made from it, by the runs between them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Literal, NamedTuple, TypeAlias

from headwater.collector.questions.lookup import Lookup
from headwater.collector.questions.walks import Expand, Generation, Step, Steps, downstream_of, upstream_of
from headwater.collector.stores.reading import Claim

RunNode: TypeAlias = tuple[Literal["run"], str]
GenerationNode: TypeAlias = tuple[Literal["generation"], Generation]
VersionNode: TypeAlias = RunNode | GenerationNode


class VersionGraph(NamedTuple):
    """``distances`` counts runs passed; ``edges`` follow the data. What is only reached where nothing tells whether
    the input went into the output is ``possible``."""

    distances: dict[VersionNode, int]
    edges: set[tuple[VersionNode, VersionNode]]
    possible: set[VersionNode]
    truncated_by: str | None


async def version_graph(lookup: Lookup, start: Collection[Claim], *, up: int, down: int, limit: int) -> VersionGraph:
    """From these claims' generations ``up`` runs back, the one that wrote them included, and ``down`` runs on."""
    await lookup.identify(claim.dataset for claim in start)
    generations: dict[Claim, Generation] = {
        claim: (lookup.identity.of(claim.dataset), claim.version) for claim in sorted(start)
    }
    growth = _Growth(limit)
    for claim, generation in generations.items():
        growth.reach(("generation", generation), 0, sure=True)
        if up > 0:
            await growth.writers(lookup, claim, generation)
    await growth.walk(_upstream_of(lookup, generations), set(generations.values()), up, upstream=True)
    await growth.walk(downstream_of(lookup), set(generations.values()), down, upstream=False)
    return growth.graph()


def _upstream_of(lookup: Lookup, start: Mapping[Claim, Generation]) -> Expand:
    """As ``upstream_of``, and from the candidates among the start, too."""
    expand = upstream_of(lookup)
    candidates = {claim: generation for claim, generation in start.items() if claim.commit_time is None}

    async def both(generations: list[Generation]) -> Steps:
        found = await expand(generations)
        wanted = {claim: candidates.pop(claim) for claim in list(candidates) if candidates[claim] in generations}
        runs = await lookup.runs({claim.run for claim in wanted})
        steps = [
            Step(wanted[claim], (edge.pin.dataset, edge.pin.version), claim.run, edge.source.grade != "unknown")
            for claim, edges in (await lookup.edges(wanted, runs)).items()
            for edge in edges
        ]
        return Steps([*found.steps, *steps], found.complete)

    return both


class _Growth:
    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._distances: dict[VersionNode, int] = {}
        self._edges: set[tuple[VersionNode, VersionNode]] = set()
        self._sure: set[VersionNode] = set()
        self._cut: str | None = None

    def reach(self, node: VersionNode, distance: int, *, sure: bool) -> bool:
        """True if the node is new and there is room for it."""
        if sure:
            self._sure.add(node)
        if node in self._distances:
            return False
        if len(self._distances) >= self._limit:
            self._cut = "limit"
            return False
        self._distances[node] = distance
        return True

    async def writers(self, lookup: Lookup, start: Claim, generation: Generation) -> None:
        """Whoever committed it; of a candidate the run that wrote it. They are there whether they read anything or
        not."""
        claims = await lookup.claims([(generation[0], start.version)])
        for claim in [each for each in claims if each.commit_time] or [start]:
            self.reach(("run", claim.run), 1, sure=True)
            self._join(("run", claim.run), ("generation", generation))

    async def walk(self, expand: Expand, start: set[Generation], hops: int, *, upstream: bool) -> None:
        frontier = start
        for distance in range(1, hops + 1):
            found = await expand(sorted(frontier, key=lambda each: (each[0], each[1] or "")))
            if not found.complete:
                self._cut = self._cut or "max_reads"
            following: set[Generation] = set()
            for step in found.steps:
                if self._step(step, distance, upstream=upstream) and step.end[1] is not None:
                    following.add(step.end)
            frontier = following
            if not frontier:
                return
        if hops:
            self._cut = self._cut or "depth"

    def _step(self, step: Step, distance: int, *, upstream: bool) -> bool:
        near: VersionNode = ("generation", step.start)
        run: VersionNode = ("run", step.run)
        far: VersionNode = ("generation", step.end)
        sure = step.known and near in self._sure
        self.reach(run, distance, sure=near in self._sure)
        fresh = self.reach(far, distance, sure=sure)
        self._join(*((far, run) if upstream else (near, run)))
        self._join(*((run, near) if upstream else (run, far)))
        return fresh

    def _join(self, origin: VersionNode, destination: VersionNode) -> None:
        if origin in self._distances and destination in self._distances:
            self._edges.add((origin, destination))

    def graph(self) -> VersionGraph:
        possible = {node for node in self._distances if node not in self._sure}
        return VersionGraph(self._distances, self._edges, possible, self._cut)
