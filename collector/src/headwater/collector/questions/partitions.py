"""Rule 18: following one partition, from the generation that wrote it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final, NamedTuple, TypeAlias

from headwater.collector.derive.subsets import SUBSET_FACET, Meeting, Subset, meeting, subset_of
from headwater.collector.facts import Scope
from headwater.collector.questions.lookup import WALK_FACETS, Lookup
from headwater.collector.questions.shapes import Json, name_json, time_json
from headwater.collector.questions.walks import reading_runs
from headwater.collector.stores.reading import Claim, RunFacts
from headwater.shared.event import Name

PART_FACETS: Final = WALK_FACETS | {SUBSET_FACET}
MAX_BACK: Final = 1_000
"""Generations of one dataset that are looked at for one that wrote, or still carries, a partition."""
_PAGE: Final = 100
_LAST: Final = "\U0010ffff"


class Node(NamedTuple):
    """A part of a generation; ``version`` None: not known, and the walk ends there."""

    dataset: Name
    version: str | None
    part: Subset | None


class Found(NamedTuple):
    node: Node
    distance: int
    possible: bool
    run: str | None


class PartWalk(NamedTuple):
    reached: list[Found]
    truncated_by: str | None


async def writers_of(
    lookup: Lookup, dataset: Name, part: Subset | None, before: tuple[str, str]
) -> tuple[list[tuple[Claim, Meeting]], bool]:
    """(the newest generation, not later than ``before``, whose written part meets this one, after those newer ones that
    may; whether the search went far enough to tell). ``before``: (commit time, version), inclusive; that one counts
    even if it is withdrawn."""
    found: list[tuple[Claim, Meeting]] = []
    seen = 0
    async for claim, run in _history(lookup, dataset, before):
        seen += 1
        met = meeting(subset_of(run, Scope.OUTPUT_OWN, dataset, claim.version, lookup.identity), part)
        if met != "no":
            found.append((claim, met))
        if met == "yes":
            return found, True
        if seen >= MAX_BACK:
            return found, False
    return found, True


async def _history(lookup: Lookup, dataset: Name, before: tuple[str, str]) -> AsyncIterator[tuple[Claim, RunFacts]]:
    """Committed claims that are not withdrawn, newest first; the one at ``before`` in any case."""
    members = lookup.identity.members(dataset)
    until: tuple[str, str] = (before[0], before[1] + "\x01")  # just after ``before``; PostgreSQL takes no NUL
    done: set[Claim] = set()
    while page := await lookup.reader.history(members, committed=True, limit=_PAGE, before=until):
        until = page[-1].commit_time or "", page[-1].version
        claims = [claim for claim in await lookup.settled(page) if claim.commit_time and claim not in done]
        done.update(claims)
        standing = await lookup.standing((dataset, claim.version) for claim in claims)
        runs = await lookup.runs({claim.run for claim in claims}, facets=PART_FACETS)
        for claim in sorted(claims, key=lambda each: (each.commit_time or "", each.version), reverse=True):
            is_asked = (claim.commit_time, claim.version) == before
            if is_asked or not standing[dataset, claim.version].holds("withdrawn", lookup.at):
                yield claim, runs[claim.run]


async def partition_answer(
    lookup: Lookup, dataset: Name, generation: str | None, part: Subset, *, upstream: bool, max_depth: int, limit: int
) -> Json:
    """What one partition was made from, or what was made from it. ``start`` lists who wrote it: the newest generation
    (not later than ``generation``) whose written part meets it, after newer ones that only may."""
    name = await lookup.canonical(dataset)
    start, complete = await writers_of(lookup, name, part, await moment_of(lookup, name, generation))
    nodes = {Node(name, claim.version, part): met == "yes" for claim, met in start}
    if generation is not None and not await lookup.claims([(name, generation)]):
        nodes = {Node(name, generation, part): True}  # read, and not written by any run that we know
    found = await _walk(lookup, nodes, _upstream if upstream else _downstream, max_depth, limit)
    cut = found.truncated_by or (None if complete else "max_generations")
    return {
        "dataset": name_json(name),
        "partition": subset_json(part),
        "asOf": time_json(lookup.at),
        "start": writers_json(start),
        "reached": [
            {
                "dataset": name_json(each.node.dataset),
                "version": each.node.version,
                "subset": subset_json(each.node.part),
                "distance": each.distance,
                "possible": each.possible,
                "runId": each.run,
            }
            for each in found.reached
        ],
        "truncated": cut is not None,
        "truncatedBy": cut,
    }


async def moment_of(lookup: Lookup, name: Name, generation: str | None) -> tuple[str, str]:
    """Just up to a generation; without one, up to the time asked about."""
    if generation is None:
        return lookup.at or _LAST, _LAST
    claims = await lookup.claims([(name, generation)])
    times = [claim.commit_time for claim in claims if claim.commit_time]
    return (max(times), generation) if times else ("", "")


def writers_json(writers: list[tuple[Claim, Meeting]]) -> list[Json]:
    """``possible``: nobody knows whether it wrote the partition."""
    return [
        {
            "version": claim.version,
            "runId": claim.run,
            "committedAt": time_json(claim.commit_time),
            "possible": met == "maybe",
        }
        for claim, met in writers
    ]


def subset_json(part: Subset | None) -> Json | None:
    """None: the whole."""
    if part is None:
        return None
    return {
        "partitions": [dict(sorted(each)) for each in sorted(part.parts, key=sorted)],
        "locations": sorted(part.locations),
        "unknown": part.unknown,
    }


class _Step(NamedTuple):
    node: Node
    sure: bool
    run: str


class _Steps(NamedTuple):
    steps: list[_Step]
    complete: bool


_Expand: TypeAlias = Callable[[Lookup, Node], Awaitable[_Steps]]


async def _walk(lookup: Lookup, start: dict[Node, bool], steps: _Expand, max_depth: int, limit: int) -> PartWalk:
    """Breadth first, each part of a generation once at its least distance."""
    frontier = dict(start)
    best: dict[Node, Found] = {}
    begun = set(frontier)
    cut: str | None = None
    for distance in range(1, max_depth + 1):
        following: dict[Node, bool] = {}
        for node, sure in frontier.items():
            found = await steps(lookup, node)
            cut = cut or (None if found.complete else "max_generations")
            for step in found.steps:
                certain = sure and step.sure
                known = best.get(step.node)
                if step.node in begun or (known and (not known.possible or not certain)):
                    continue
                if known is None and len(best) >= limit:
                    return PartWalk(_sorted(best), "limit")
                first = known or Found(step.node, distance, True, step.run)
                best[step.node] = first._replace(possible=not certain)
                following[step.node] = following.get(step.node, False) or certain
        frontier = {node: sure for node, sure in following.items() if node.version is not None}
        if not frontier:
            return PartWalk(_sorted(best), cut)
    return PartWalk(_sorted(best), cut or "max_depth")


def _sorted(best: dict[Node, Found]) -> list[Found]:
    return sorted(
        best.values(), key=lambda each: (each.distance, each.node.dataset, each.node.version or "", repr(each))
    )


async def _upstream(lookup: Lookup, node: Node) -> _Steps:
    claims = [claim for claim in await lookup.claims([(node.dataset, node.version or "")]) if claim.commit_time]
    runs = await lookup.runs({claim.run for claim in claims}, facets=PART_FACETS)
    steps: list[_Step] = []
    complete = True
    for claim, edges in (await lookup.edges(claims, runs)).items():
        for edge in edges:
            sure, pin = edge.source.grade != "unknown", edge.pin
            part = subset_of(runs[claim.run], Scope.INPUT_OWN, pin.dataset, edge.source.version, lookup.identity)
            if pin.version is None or part is None:
                steps.append(_Step(Node(pin.dataset, pin.version, part), sure, claim.run))
                continue
            until = await moment_of(lookup, pin.dataset, pin.version)
            writers, enough = await writers_of(lookup, pin.dataset, part, until)
            complete = complete and enough
            steps += [
                _Step(Node(pin.dataset, writer.version, part), sure and met == "yes", claim.run)
                for writer, met in writers
            ]
            if not writers:  # declared, and not written by any run that we know
                steps.append(_Step(Node(pin.dataset, pin.version, part), sure, claim.run))
    return _Steps(steps, complete)


async def _downstream(lookup: Lookup, node: Node) -> _Steps:
    carriers, complete = await _carriers(lookup, node)
    candidates, all_read = await reading_runs(lookup, [(node.dataset, version) for version in carriers])
    runs = await lookup.runs(candidates, facets=PART_FACETS)
    outputs = [claim for claim in await lookup.claims_of_runs(runs) if claim.commit_time]
    steps = []
    for claim, edges in (await lookup.edges(outputs, runs)).items():
        run, dataset = runs[claim.run], lookup.identity.of(claim.dataset)
        for edge in edges:
            if edge.pin.dataset != node.dataset or edge.pin.version not in carriers:
                continue
            read = subset_of(run, Scope.INPUT_OWN, node.dataset, edge.source.version, lookup.identity)
            met = meeting(read, node.part)
            if met != "no":
                part = subset_of(run, Scope.OUTPUT_OWN, dataset, claim.version, lookup.identity)
                sure = edge.source.grade != "unknown" and met == "yes" and carriers[edge.pin.version or ""]
                steps.append(_Step(Node(dataset, claim.version, part), sure, claim.run))
    return _Steps(steps, complete and all_read)


async def _carriers(lookup: Lookup, node: Node) -> tuple[dict[str, bool], bool]:
    """The generations that still hold what this one wrote of the part, itself first: those after it, up to one that
    wrote it anew; False where one in between may have. One that is withdrawn wrote over nothing."""
    version = node.version or ""
    held = {version: True}
    claims = [claim for claim in await lookup.claims([(node.dataset, version)]) if claim.commit_time]
    if len(claims) != 1:
        return held, True
    members, sure = lookup.identity.members(node.dataset), True
    after = claims[0].commit_time or "", version
    for _ in range(MAX_BACK):
        following = await lookup.reader.next_commit(members, after, claims[0].run)
        if following is None or (lookup.at is not None and (following.commit_time or "") > lookup.at):
            return held, True
        after = following.commit_time or "", following.version
        if following not in await lookup.settled([following]):
            continue
        run = (await lookup.runs([following.run], facets=PART_FACETS))[following.run]
        met = meeting(subset_of(run, Scope.OUTPUT_OWN, node.dataset, following.version, lookup.identity), node.part)
        key = node.dataset, following.version
        withdrawn = (await lookup.standing([key]))[key].holds("withdrawn", lookup.at)
        if met == "yes" and not withdrawn:
            return held, True
        if met != "yes":
            held[following.version] = sure and met == "no"
        if not withdrawn:
            sure = sure and met == "no"
    return held, False
