"""A graph folded for people: what belongs together is one node, which names what it stands for. Facts stay as they are,
and the same question without folding shows them.

    parent   a job into its outermost ancestor: tasks into their DAG, dbt's nodes into its run, Spark's commands into
             the application. ``unfold`` names ancestors that stay open.
    twins    jobs of one parent with the same inputs and the same outputs: Spark runs a CTAS as two
    files    datasets of one namespace whose names differ in digits, hex words and UUIDs alone and that the same jobs
             read and write: a new file name for each batch
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from headwater.collector.questions.lineage import Graph
from headwater.collector.questions.lookup import Lookup
from headwater.collector.stores.reading import Node, RunRow
from headwater.shared.event import Name

Fold: TypeAlias = Literal["parent", "twins", "files"]
FOLDS: Final[tuple[Fold, ...]] = get_args(Fold)
MAX_ANCESTORS: Final = 20
_CHANGING: Final = re.compile(
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<![0-9a-zA-Z])(?=[0-9a-f]*[0-9])[0-9a-f]{8,}(?![0-9a-zA-Z])|[0-9]+",
    re.IGNORECASE,
)


class Folded(NamedTuple):
    graph: Graph
    members: dict[Node, list[Node]]
    """Of each node that stands for others: those others, sorted."""
    patterns: dict[Node, str]
    """Of each node that stands for files: their names, with ``*`` for what changes."""


async def fold(lookup: Lookup, graph: Graph, folds: Collection[Fold], unfold: Collection[Name] = ()) -> Folded:
    """First by parents, then twins, then files."""
    folded = Folded(graph, {}, {})
    jobs = [name for kind, name in graph.distances if kind == "job"]
    if "parent" in folds:
        ancestors = await _ancestors(lookup, jobs)
        apart = {*unfold, *await _hidden(lookup, {job for chain in ancestors.values() for job in chain})}
        folded = _merged(folded, {("job", job): ("job", _shown(job, chain, apart)) for job, chain in ancestors.items()})
    if "twins" in folds:
        parents = {job: chain[0] for job, chain in (await _ancestors(lookup, jobs)).items() if chain}
        folded = _merged(folded, _twins(folded.graph, parents))
    if "files" in folds:
        into, patterns = _files(folded.graph)
        folded = _merged(folded, into)._replace(patterns=patterns)
    return folded


def pattern(name: str) -> str:
    """The name with ``*`` for each number, UUID and hex word in it."""
    return _CHANGING.sub("*", name)


async def _ancestors(lookup: Lookup, jobs: Collection[Name]) -> dict[Name, list[Name]]:
    """Parent, its parent and so on, as the newest run of each job has them."""
    rows = {job: found[0] for job, found in (await lookup.reader.latest_runs(jobs, 1)).items() if found}
    chains: dict[Name, list[Name]] = {job: [] for job in rows}
    for _ in range(MAX_ANCESTORS):
        parents = await lookup.reader.run_rows({row.parent for row in rows.values() if row.parent})
        following: dict[Name, RunRow] = {}
        for job, row in rows.items():
            parent = parents.get(row.parent or "")
            if parent is None or parent.job is None:
                continue
            if parent.job != job and parent.job not in chains[job]:
                chains[job].append(parent.job)
            following[job] = parent
        if not following:
            break
        rows = following
    return chains


async def _hidden(lookup: Lookup, jobs: Collection[Name]) -> set[Name]:
    """Those that no answer shows: a deleted DAG stands for no tasks, or they would be gone with it."""
    known = await lookup.reader.jobs(jobs) if jobs else {}
    return {job for job in jobs if job not in known or known[job].deleted}


def _shown(job: Name, chain: list[Name], apart: Collection[Name]) -> Name:
    """The outermost ancestor that may stand for others, or else the job."""
    return next((ancestor for ancestor in reversed(chain) if ancestor not in apart), job)


def _merged(folded: Folded, into: Mapping[Node, Node]) -> Folded:
    graph = folded.graph
    distances: dict[Node, int] = {}
    members: dict[Node, set[Node]] = {node: set(found) for node, found in folded.members.items()}
    for node, distance in graph.distances.items():
        shown = into.get(node, node)
        distances[shown] = min(distance, distances.get(shown, distance))
        if shown != node:
            members.setdefault(shown, set()).update({node, *members.pop(node, ())})
    edges = {(into.get(a, a), into.get(b, b)) for a, b in graph.edges}
    return Folded(
        Graph(distances, edges, graph.truncated_by),
        {node: sorted(found) for node, found in members.items()},
        folded.patterns,
    )


def _neighbours(graph: Graph) -> dict[Node, frozenset[tuple[str, Node]]]:
    found: dict[Node, set[tuple[str, Node]]] = {}
    for origin, destination in graph.edges:
        found.setdefault(origin, set()).add(("to", destination))
        found.setdefault(destination, set()).add(("from", origin))
    return {node: frozenset(each) for node, each in found.items()}


def _twins(graph: Graph, parents: Mapping[Name, Name]) -> dict[Node, Node]:
    alike: dict[tuple[Name, frozenset[tuple[str, Node]]], list[Node]] = {}
    for node, edges in _neighbours(graph).items():
        if node[0] == "job" and (parent := parents.get(node[1])) is not None:
            alike.setdefault((parent, edges), []).append(node)
    return {node: min(nodes) for nodes in alike.values() if len(nodes) > 1 for node in nodes}


def _files(graph: Graph) -> tuple[dict[Node, Node], dict[Node, str]]:
    """The name that stands for the others is the last in order, likely the newest."""
    alike: dict[tuple[str, str, frozenset[tuple[str, Node]]], list[Node]] = {}
    for node, edges in _neighbours(graph).items():
        if node[0] == "dataset":
            alike.setdefault((node[1].namespace, pattern(node[1].name), edges), []).append(node)
    into: dict[Node, Node] = {}
    patterns: dict[Node, str] = {}
    for (_, shape, _), nodes in alike.items():
        if len(nodes) > 1:
            shown = max(nodes)
            into |= dict.fromkeys(nodes, shown)
            patterns[shown] = shape
    return into, patterns
