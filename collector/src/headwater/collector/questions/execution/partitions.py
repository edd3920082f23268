"""One partition: the instance that is canonical now, what built it, from what, for whom, and those before it."""

from __future__ import annotations

from typing import Final

from headwater.collector.questions.execution.consumers import consumers_page
from headwater.collector.questions.execution.heads import JOB_RUN_FACETS, head_json
from headwater.collector.questions.execution.instances import claim_json, instance_json
from headwater.collector.questions.execution.job_runs import pin_json
from headwater.collector.questions.execution.pages import (
    BY_TIME_AND_ID,
    BY_TIME_AND_VERSION,
    COUNTED,
    Cursor,
    beginning,
    of_list,
    page_json,
    parse_cursor,
    sliced,
)
from headwater.collector.questions.lookup import Lookup, PinnedEdge
from headwater.collector.questions.marks import standing_json
from headwater.collector.questions.shapes import Json, name_json
from headwater.collector.stores.reading import Claim, PinQuery, RunFacts, WantQuery
from headwater.shared.event import Name

LISTS: Final = {
    "read": COUNTED,
    "upstream": COUNTED,
    "downstream": BY_TIME_AND_ID,
    "older": BY_TIME_AND_VERSION,
}


async def instance_answer(
    lookup: Lookup, partition: Name, generation: str | None, *, limit: int, after: str | None
) -> Json:
    """An instance of a partition: the canonical one, which is the current generation, or that of a ``generation``.
    ``status`` as in evidence: published, conflict (several runs committed it, none is chosen), candidate or unknown.
    ``after``: a ``next`` of an earlier answer; ValueError if it is none."""
    cursor = parse_cursor(after, LISTS)
    name = await lookup.canonical(partition)
    members = lookup.identity.members(name)
    (current,) = await lookup.current([PinQuery(members, None, None)])
    version = generation if generation is not None else current and current.version
    claims = await lookup.claims([(name, version)]) if version is not None else []
    committed = [claim for claim in claims if claim.commit_time]
    answer: Json = {
        "partition": name_json(name),
        "status": "conflict" if len(committed) > 1 else "published" if committed else "unknown",
        "canonical": current is not None and current.version == version,
        "instance": None,
        "conflict": sorted(claim.run for claim in committed) if len(committed) > 1 else [],
        "built_by": None,
        "upstream": page_json([], 0, of_list(cursor, "upstream"), 0, None),
    }
    if version is not None:
        standing = (await lookup.standing([(name, version)]))[name, version]
        claim = committed[0] if len(committed) == 1 else None
        unwritten = {**instance_json(name, version), "runId": None, "committedAt": None}
        written = claim_json(lookup, claim) if claim else unwritten
        answer["instance"] = written | standing_json(standing, None)
        if not committed and claims:
            answer["status"] = "candidate"
        if claim is not None:
            answer |= await _built(lookup, claim, limit, cursor)
    answer["downstream"] = await consumers_page(lookup, name, version, limit, of_list(cursor, "downstream"))
    answer["older"] = await _older(lookup, name, max(committed, key=_order, default=None), limit, cursor)
    return answer


def _order(claim: Claim) -> tuple[str, str]:
    return claim.commit_time or "", claim.version


async def _built(lookup: Lookup, claim: Claim, limit: int, cursor: Cursor | None) -> Json:
    """Which run, with what it read; and what the instance was made from, which may be less (rule 7)."""
    run = (await lookup.runs([claim.run], facets=JOB_RUN_FACETS))[claim.run]
    edges = (await lookup.edges([claim], {run.run: run}))[claim]
    pins = await lookup.inputs(run)
    return {
        "built_by": {
            **head_json(run),
            "wants": await _wants(lookup, run, limit),
            "read": sliced(pins, limit, of_list(cursor, "read"), lambda pin: pin_json(pin, True)),
        },
        "upstream": sliced(edges, limit, of_list(cursor, "upstream"), _edge_json),
    }


def _edge_json(edge: PinnedEdge) -> Json:
    """``grade`` is the edge's (rule 7), ``pin`` the pin's (rule 6)."""
    return {**pin_json(edge.pin, True), "grade": edge.source.grade, "pin": edge.pin.grade}


async def _wants(lookup: Lookup, run: RunFacts, limit: int) -> Json:
    """Those that the run serves, the first ones; the job run's own address has the rest."""
    (links,) = await lookup.reader.want_links([WantQuery("wants", run.run)], limit)
    return beginning(links.ids, limit, lambda want: {"id": want}, total=links.total)


async def _older(lookup: Lookup, name: Name, than: Claim | None, limit: int, cursor: Cursor | None) -> Json:
    """Commits before this one, newest first."""
    mine, members = of_list(cursor, "older"), lookup.identity.members(name)
    if than is None:
        return page_json([], 0, mine, 0, None)
    start = _order(than)
    time, _, version = mine.position.partition("_")
    claims = await lookup.reader.history(
        members, committed=True, limit=limit + 1, before=(time, version) if time else start
    )
    page = claims[:limit]
    standing = await lookup.standing((name, claim.version) for claim in page)
    items = [{**claim_json(lookup, each), **standing_json(standing[name, each.version], None)} for each in page]
    following = "_".join(_order(page[-1])) if len(claims) > limit else None
    return page_json(items, await lookup.reader.count_commits(members, start), mine, len(page), following)
