"""Questions about one dataset or one job (rules 5, 8, 10, 13), and lists of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from headwater.collector.derive.marks import Standing
from headwater.collector.facts import Side
from headwater.collector.questions.lookup import Lookup
from headwater.collector.questions.marks import standing_json
from headwater.collector.questions.shapes import Json, claim_json, name_json, run_json, time_json
from headwater.collector.stores.reading import Claim, DatasetFacts, Drop, JobEdge, JobFacts, PinQuery
from headwater.shared.event import Name

MAX_GENERATIONS = 100
"""Committed generations, and candidates, that an answer about a dataset lists; the newest."""


async def dataset_answer(lookup: Lookup, name: Name) -> Json | None:
    """A dataset under its canonical name, or None where no event names it."""
    canonical = await lookup.canonical(name)
    members = lookup.identity.members(canonical)
    known = await lookup.reader.datasets(members)
    if not known:
        return None
    committed, candidates, cut = await _generations(lookup, members)
    current = (await lookup.current([PinQuery(members, None, None)]))[0]
    drops = await lookup.reader.drops(members)
    states = await lookup.reader.run_rows({claim.run for claim in candidates})
    facets = merged_facets(known)
    dropped = _dropped_at(drops, committed)
    return {
        "name": name_json(name),
        "canonical": name_json(canonical),
        "aliases": [name_json(member) for member in members if member != canonical],
        "firstSeen": time_json(min(each.first_time for each in known.values())),
        "lastSeen": time_json(max(each.last_time for each in known.values())),
        "deleted": dropped is not None,
        "deletedAt": time_json(dropped),
        "description": (facets.get("documentation") or {}).get("description"),
        "current": current and current.version,
        "committed": _committed_json(committed, await _standing(lookup, canonical, committed)),
        "candidates": [
            {
                "version": claim.version,
                "runId": claim.run,
                "state": states[claim.run].state if claim.run in states else None,
            }
            for claim in candidates
        ],
        "facets": facets,
        "truncated": cut,
    }


def merged_facets(known: dict[Name, DatasetFacts]) -> Json:
    """The facets of all names of a dataset; of one facet the one of the name seen last. Not to be changed."""
    if len(known) == 1:
        return next(iter(known.values())).facets
    facets: Json = {}
    for each in sorted(known.values(), key=lambda facts: (facts.last_time, facts.dataset)):
        facets |= each.facets
    return facets


def _dropped_at(drops: Collection[Drop], committed: list[Claim]) -> str | None:
    """The time of the last DROP, unless something was committed after it."""
    last = max((drop.time for drop in drops), default=None)
    written = max((claim.commit_time or "" for claim in committed), default="")
    return last if last is not None and last >= written else None


async def _generations(lookup: Lookup, members: Sequence[Name]) -> tuple[list[Claim], list[Claim], bool]:
    """(committed claims, candidates, whether there are more), newest first. A version that any run committed is no
    candidate."""
    limit = MAX_GENERATIONS + 1
    committed = await lookup.reader.history(members, committed=True, limit=limit)
    candidates = await lookup.reader.history(members, committed=False, limit=limit)
    claims = await lookup.settled(committed + candidates)
    newest = sorted((c for c in claims if c.commit_time), key=lambda c: (c.commit_time, c.version, c.run), reverse=True)
    published = {claim.version for claim in newest}
    published |= {
        c.version for c in await lookup.claims([(members[0], c.version) for c in candidates]) if c.commit_time
    }
    others = [claim for claim in claims if claim.commit_time is None and claim.version not in published]
    return (
        newest[:MAX_GENERATIONS],
        others[:MAX_GENERATIONS],
        len(committed) == limit or len(candidates) == limit,
    )


async def _standing(lookup: Lookup, canonical: Name, claims: list[Claim]) -> dict[str, Standing]:
    """By version, what was said of them."""
    standing = await lookup.standing((canonical, claim.version) for claim in claims)
    return {version: each for (_, version), each in standing.items()}


def _committed_json(claims: list[Claim], standing: dict[str, Standing]) -> list[Json]:
    """Oldest first, a generation that several runs committed once, at its last commit, naming them all."""
    found: dict[str, Json] = {}
    for claim in claims:
        if claim.version in found:
            found[claim.version].setdefault("conflict", [found[claim.version]["runId"]]).append(claim.run)
        else:
            found[claim.version] = {**claim_json(claim), **standing_json(standing[claim.version], None)}
    return list(reversed(found.values()))


async def job_answer(lookup: Lookup, name: Name) -> Json | None:
    """A job with its current edges and, apart, what JobEvents say of it; None where no event names it."""
    job = (await lookup.reader.jobs([name])).get(name)
    if job is None:
        return None
    edges = await lookup.reader.job_edges([name], [])
    await lookup.identify([edge.dataset for edge in edges])
    latest = (await lookup.reader.latest_runs([name], 1)).get(name, [])
    return {
        "name": name_json(name),
        "firstSeen": time_json(job.first_time),
        "lastSeen": time_json(job.last_time),
        "inputs": [name_json(each) for each in edge_names(lookup, edges, Side.INPUT)],
        "outputs": [name_json(each) for each in edge_names(lookup, edges, Side.OUTPUT)],
        "design": await _design_json(lookup, job),
        "latestRun": run_json(latest[0]) if latest else None,
        "facets": job.facets,
    }


def edge_names(lookup: Lookup, edges: list[JobEdge], side: Side) -> list[Name]:
    """The canonical datasets on one side, sorted."""
    return sorted({lookup.identity.of(edge.dataset) for edge in edges if edge.side is side})


async def _design_json(lookup: Lookup, job: JobFacts) -> Json | None:
    if not job.design:
        return None
    await lookup.identify(name for names in job.design.values() for name in names)
    return {
        key: [name_json(each) for each in sorted({lookup.identity.of(name) for name in job.design.get(side, ())})]
        for side, key in ((Side.INPUT, "inputs"), (Side.OUTPUT, "outputs"))
    }
