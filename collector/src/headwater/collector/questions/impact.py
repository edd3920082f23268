"""What a generation was made from and what was made from it (rule 12), with what was said of each (rules 14, 15)."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from headwater.collector.derive.edges import inputs_of
from headwater.collector.facts import Mark
from headwater.collector.questions.columns import resolve
from headwater.collector.questions.lookup import Lookup, state_of
from headwater.collector.questions.marks import standing_json
from headwater.collector.questions.shapes import Json, name_json, time_json
from headwater.collector.questions.walks import (
    Expand,
    Generation,
    Steps,
    Walk,
    downstream_of,
    reading_runs,
    upstream_of,
    walk,
)
from headwater.shared.event import Name

MAX_CONSUMERS: Final = 1_000
"""Runs that an answer lists as having read what was reached."""
MAX_BAD: Final = 100
"""Bad generations upstream that an answer tells the way of, where something on it was cleared."""


class Reach:
    """How far a question goes."""

    def __init__(self, max_depth: int = 20, limit: int = 10_000) -> None:
        self.max_depth, self.limit = max_depth, limit


async def impact_answer(
    lookup: Lookup, dataset: Name, generation: str | None, reach: Reach, *, consumers: bool = False
) -> Json:
    """The committed generations made from this one. If this one is bad, what is ``tainted`` by it: all that is reached
    other than through a generation that was cleared no earlier than this one was called bad. ``consumers``: also who
    read any of them, whether or not it published something."""
    start = await resolve(lookup, dataset, generation)
    found = await _walked(lookup, downstream_of(lookup), start, reach)
    answer = await _answer(lookup, start, found)
    bad = (await _bad(lookup, [start])).get(start)
    tainted = await _tainted(lookup, start, bad, found, reach) if bad else set()
    for each, told in zip(found.reached, answer["reached"], strict=True):
        told["tainted"] = each.generation in tainted
    answer["tainted"] = len(tainted)
    if consumers:
        answer["consumers"] = await _consumers(lookup, {start: 0} | {r.generation: r.distance for r in found.reached})
    return answer


async def upstream_answer(lookup: Lookup, dataset: Name, generation: str | None, reach: Reach) -> Json:
    """The generations that this one was made from; ``taintedBy``: the bad ones whose taint reaches it."""
    start = await resolve(lookup, dataset, generation)
    found = await _walked(lookup, upstream_of(lookup), start, reach)
    answer = await _answer(lookup, start, found)
    answer["taintedBy"] = [_generation_json(each) for each in await tainting(lookup, start, found, reach)]
    return answer


async def _walked(lookup: Lookup, expand: Expand, start: Generation, reach: Reach) -> Walk:
    if start[1] is None:
        return Walk([], None)
    return await walk(start, expand, max_depth=reach.max_depth, limit=reach.limit)


async def _answer(lookup: Lookup, start: Generation, found: Walk) -> Json:
    standing = await lookup.standing(_versions([start, *(each.generation for each in found.reached)]))
    return {
        "start": {**_generation_json(start), **standing_json(standing.get(_key(start)), lookup.at)},
        "asOf": time_json(lookup.at),
        "reached": [
            {
                **_generation_json(each.generation),
                "distance": each.distance,
                "possible": each.possible,
                "runId": each.run,
                **standing_json(standing.get(_key(each.generation)), lookup.at),
            }
            for each in found.reached
        ],
        "truncated": found.truncated_by is not None,
        "truncatedBy": found.truncated_by,
    }


def _generation_json(generation: Generation) -> Json:
    return {"dataset": name_json(generation[0]), "version": generation[1]}


def _key(generation: Generation) -> tuple[Name, str]:
    return generation[0], generation[1] or ""


def _versions(generations: Collection[Generation]) -> list[tuple[Name, str]]:
    return [(dataset, version) for dataset, version in generations if version is not None]


async def _bad(lookup: Lookup, generations: Collection[Generation]) -> dict[Generation, Mark]:
    standing = await lookup.standing(_versions(generations))
    return {key: mark for key, each in standing.items() if (mark := each.holds("bad", lookup.at))}


async def _cleared(lookup: Lookup, generations: Collection[Generation], since: str) -> set[Generation]:
    """Those that were last said not to be bad, no earlier than ``since``."""
    standing = await lookup.standing(_versions(generations))
    last = {key: each.last("bad", lookup.at) for key, each in standing.items()}
    return {key for key, mark in last.items() if mark and not mark.stands and mark.time >= since}


async def _tainted(lookup: Lookup, start: Generation, bad: Mark, found: Walk, reach: Reach) -> set[Generation]:
    reached = {each.generation for each in found.reached}
    cleared = await _cleared(lookup, reached, bad.time)
    if cleared:
        around = await _walked(lookup, _around(downstream_of(lookup), cleared), start, reach)
        reached = {each.generation for each in around.reached}
    return reached


def _around(expand: Expand, closed: Collection[Generation]) -> Expand:
    """Steps that end in none of these."""

    async def expanded(generations: list[Generation]) -> Steps:
        found = await expand(generations)
        return found._replace(steps=[step for step in found.steps if step.end not in closed])

    return expanded


async def tainting(lookup: Lookup, start: Generation, found: Walk, reach: Reach) -> list[Generation]:
    """Of a walk upstream: the bad generations whose taint reaches the start, nearest first. A generation that was
    cleared no earlier than the bad one was called bad lets nothing through, the start included."""
    bad = await _bad(lookup, [each.generation for each in found.reached])
    ways: dict[frozenset[Generation], set[Generation]] = {}
    tainting: list[Generation] = []
    for each in found.reached:
        mark = bad.get(each.generation)
        if mark is None or len(tainting) >= MAX_BAD:
            continue
        passed = [start, *(other.generation for other in found.reached)]
        cleared = frozenset(await _cleared(lookup, passed, mark.time))
        if cleared and cleared not in ways:
            around = await _walked(lookup, _around(upstream_of(lookup), cleared), start, reach)
            ways[cleared] = set() if start in cleared else {other.generation for other in around.reached}
        if not cleared or each.generation in ways[cleared]:
            tainting.append(each.generation)
    return tainting


async def _consumers(lookup: Lookup, distances: dict[Generation, int]) -> Json:
    """Runs that read any of these generations, whatever they published, by distance."""
    generations = [each for each in distances if each[1] is not None]
    candidates, complete = await reading_runs(lookup, generations)
    runs = await lookup.runs(candidates)
    wanted = [(run, name, version) for run in runs.values() for name, version in inputs_of(run, lookup.identity)]
    pins = await lookup.pins(wanted)
    found = []
    for run, name, version in wanted:
        generation = (name, pins[run.run, name, version].version)
        begun = run.first_time is not None and (lookup.at is None or run.first_time <= lookup.at)
        if generation in distances and begun:
            found.append((distances[generation], run.first_time or "", run.run, generation))
    found.sort(key=lambda each: (*each[:3], _key(each[3])))
    return {
        "runs": [
            {
                **_generation_json(generation),
                "distance": distance,
                "runId": run,
                "job": (job := runs[run].job) and name_json(job),
                "state": state_of(runs[run], lookup.at).state,
                "firstSeen": time_json(first),
            }
            for distance, first, run, generation in found[:MAX_CONSUMERS]
        ],
        "truncated": not complete or len(found) > MAX_CONSUMERS,
    }
