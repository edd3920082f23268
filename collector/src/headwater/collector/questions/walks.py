"""Rule 12: walks over generations, upstream to what they were made from and downstream to what was made from them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

from headwater.collector.questions.lookup import Lookup
from headwater.collector.stores.reading import Claim, ReadQuery
from headwater.shared.event import Name

Generation: TypeAlias = tuple[Name, str | None]
"""A canonical dataset and a version; None: the dataset, its generation not known."""

MAX_READS = 10_000
"""Of one dataset in one level of a downstream walk."""


class Step(NamedTuple):
    """From one generation to the next; ``run`` is the run between them."""

    start: Generation
    end: Generation
    run: str
    known: bool
    """False over an ``unknown`` edge."""


class Reached(NamedTuple):
    generation: Generation
    distance: int
    possible: bool
    """Only paths over an ``unknown`` edge lead here."""
    run: str


class Walk(NamedTuple):
    reached: list[Reached]
    """Nearest first."""
    truncated_by: str | None
    """The limit that cut the walk: max_depth, limit or max_reads."""


class Steps(NamedTuple):
    steps: list[Step]
    complete: bool


Expand: TypeAlias = Callable[[list[Generation]], Awaitable[Steps]]


async def walk(start: Generation, expand: Expand, *, max_depth: int, limit: int) -> Walk:
    """Breadth first, each generation once at its least distance; one ``expand`` for each level."""
    best: dict[Generation, Reached] = {}
    frontier: dict[Generation, bool] = {start: True}
    cut: str | None = None
    for distance in range(1, max_depth + 1):
        found = await expand(sorted(frontier, key=_order))
        cut = cut or (None if found.complete else "max_reads")
        following: dict[Generation, bool] = {}
        for step in found.steps:
            sure = step.known and frontier[step.start]
            known = best.get(step.end)
            if step.end == start or (known and (not known.possible or not sure)):
                continue
            if known is None and len(best) >= limit:
                return Walk(_sorted(best.values()), "limit")
            first = known or Reached(step.end, distance, True, step.run)
            best[step.end] = first._replace(possible=not sure)
            following[step.end] = following.get(step.end, False) or sure
        frontier = {generation: sure for generation, sure in following.items() if generation[1] is not None}
        if not frontier:
            return Walk(_sorted(best.values()), cut)
    return Walk(_sorted(best.values()), cut or "max_depth")


def _order(generation: Generation) -> tuple[Name, str]:
    return generation[0], generation[1] or ""


def _sorted(reached: Iterable[Reached]) -> list[Reached]:
    return sorted(reached, key=lambda each: (each.distance, _order(each.generation)))


async def committed_claims(lookup: Lookup, generations: list[Generation]) -> dict[Claim, Generation]:
    """The committed claims of these generations, under any of their names."""
    claims = await lookup.claims([(dataset, version) for dataset, version in generations if version is not None])
    return {claim: (lookup.identity.of(claim.dataset), claim.version) for claim in claims if claim.commit_time}


def upstream_of(lookup: Lookup) -> Expand:
    """Expands committed generations to what they were made from."""

    async def expand(generations: list[Generation]) -> Steps:
        claims = await committed_claims(lookup, generations)
        runs = await lookup.runs({claim.run for claim in claims})
        edges = await lookup.edges(claims, runs)
        return Steps(
            [
                Step(claims[claim], (edge.pin.dataset, edge.pin.version), claim.run, edge.source.grade != "unknown")
                for claim, pinned in edges.items()
                for edge in pinned
            ],
            True,
        )

    return expand


def downstream_of(lookup: Lookup) -> Expand:
    """Expands generations to the committed generations made from them. The reads are an index look-up each; what they
    read is then resolved as for the way up, so both ways agree."""

    async def expand(generations: list[Generation]) -> Steps:
        candidates, complete = await reading_runs(lookup, generations)
        runs = await lookup.runs(candidates)
        outputs = [claim for claim in await lookup.claims_of_runs(runs) if claim.commit_time]
        edges = await lookup.edges(outputs, runs)
        wanted = set(generations)
        steps = []
        for claim, pinned in edges.items():
            end = (lookup.identity.of(claim.dataset), claim.version)
            for edge in pinned:
                start = (edge.pin.dataset, edge.pin.version)
                if start in wanted:
                    steps.append(Step(start, end, claim.run, edge.source.grade != "unknown"))
        return Steps(steps, complete)

    return expand


async def reading_runs(lookup: Lookup, generations: list[Generation]) -> tuple[set[str], bool]:
    """Runs that may have read these generations: by declared pin, or started while the generation was current, or
    wrote the next one, alone or with others (what a run wrote is not what it read). Too many do no harm, see
    ``downstream_of``."""
    queries, following_ones = await read_queries(lookup, generations)
    found = await lookup.reader.reads(queries, MAX_READS)
    complete = all(len(reads) < MAX_READS for reads in found)
    writers = {claim.run for claim in await lookup.reader.claims(following_ones)}
    return writers | {read.run for reads in found for read in reads}, complete


async def read_queries(lookup: Lookup, generations: list[Generation]) -> tuple[list[ReadQuery], set[tuple[Name, str]]]:
    """What finds the reads of these generations, and the generations that came next, see ``reading_runs``."""
    published: dict[Generation, list[Claim]] = {}
    for claim, generation in (await committed_claims(lookup, generations)).items():
        published.setdefault(generation, []).append(claim)
    queries: list[ReadQuery] = []
    following_ones: set[tuple[Name, str]] = set()
    for generation in generations:
        dataset, version = generation
        members = lookup.identity.members(dataset)
        for claim in published.get(generation, ()):
            following = await _next(lookup, members, claim)
            if following:
                following_ones.update((member, following.version) for member in members)
            queries.append(ReadQuery(members, version or "", claim.commit_time, following and following.commit_time))
        if generation not in published:
            queries.append(ReadQuery(members, version or "", "~", "~"))  # declared pins alone
    return queries, following_ones


async def _next(lookup: Lookup, members: Sequence[Name], claim: Claim) -> Claim | None:
    """The commit that ended the reign of this one, by another run; one that means an older generation did not, and one
    that was ever withdrawn may have given it back."""
    following: Claim | None = claim
    while following:
        after = following.commit_time or "", following.version
        following = await lookup.reader.next_commit(members, after, claim.run)
        if following and following in await lookup.settled([following]):
            generation = lookup.identity.of(following.dataset), following.version
            if not (await lookup.standing([generation]))[generation].ever("withdrawn"):
                return following
    return None
