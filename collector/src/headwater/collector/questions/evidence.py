"""The question headwater exists for: which run, which code and which inputs made this generation."""

from __future__ import annotations

from collections.abc import Sequence

from headwater.collector.derive.edges import derive_columns, output_facet
from headwater.collector.derive.marks import Standing
from headwater.collector.derive.positions import POSITION_FACET, positions_of
from headwater.collector.derive.subsets import SUBSET_FACET, Subset, subset_of
from headwater.collector.facts import Scope
from headwater.collector.questions.impact import Reach, upstream_answer
from headwater.collector.questions.lookup import WALK_FACETS, Lookup, PinnedEdge
from headwater.collector.questions.marks import said_json, standing_json
from headwater.collector.questions.partitions import moment_of, subset_json, writers_json, writers_of
from headwater.collector.questions.runs import HEAD_FACETS, run_head
from headwater.collector.questions.shapes import Json, name_json, run_json, time_json
from headwater.collector.stores.reading import Claim, PinQuery, RunFacts
from headwater.shared.event import Name

EVIDENCE_FACETS = WALK_FACETS | HEAD_FACETS | {"schema", SUBSET_FACET, POSITION_FACET}
MAX_DIAGNOSTICS = 20
"""Candidates and attempts that an answer lists beside the evidence."""


async def evidence_answer(
    lookup: Lookup, dataset: Name, generation: str | None, depth: int, partition: Subset | None = None
) -> Json:
    """Evidence of one generation, its inputs' evidence within while ``depth`` > 1.

    ``status``: published (one run committed it), conflict (several did; none is chosen), candidate (no run did, some
    wrote it), unknown (no run wrote it). ``withdrawn`` and ``bad`` are what was said of it since. With ``depth`` > 1
    ``taintedBy`` names the bad generations behind it, so many levels back. For a ``partition`` it is the evidence of
    the newest generation, not later than ``generation``, that wrote it; ``writers`` names newer ones too that may have.
    """
    name = await lookup.canonical(dataset)
    if partition is not None:
        writers, _ = await writers_of(lookup, name, partition, await moment_of(lookup, name, generation))
        writer = writers[-1][0].version if writers else ""
        found = await evidence_answer(lookup, name, writer, depth)
        told = {"generation": writer or None, "partition": subset_json(partition), "writers": writers_json(writers)}
        return found | told
    current = (await lookup.current([PinQuery(lookup.identity.members(name), None, None)]))[0]
    version = generation if generation is not None else current and current.version
    answer = await _one(lookup, name, version)
    answer["current"] = current is not None and current.version == version
    if depth > 1 and answer["status"] == "published":
        answer["sources"] = await _sources(lookup, answer["edges"], depth - 1, {(name, version)})
        behind = await upstream_answer(lookup, name, version, Reach(depth - 1))
        answer["taintedBy"] = behind["taintedBy"]
    answer["diagnostics"] = await _diagnostics(lookup, name, answer["run"])
    return answer


async def _one(lookup: Lookup, name: Name, version: str | None) -> Json:
    claims = await lookup.claims([(name, version)]) if version is not None else []
    committed = [claim for claim in claims if claim.commit_time]
    answer: Json = {
        "dataset": name_json(name),
        "generation": version,
        "status": "unknown",
        "current": False,
        "asOf": time_json(lookup.at),
        "committedAt": None,
        "run": None,
        "conflict": [],
        "subset": None,
        "edges": [],
        "inputs": [],
        "columns": {},
        "unknownColumns": [],
        "schema": None,
        "sources": [],
        "taintedBy": [],
        "diagnostics": None,
        "marks": [],
    }
    standing = Standing()
    if version is not None:
        standing = (await lookup.standing([(name, version)]))[name, version]
    answer |= standing_json(standing, lookup.at) | {"marks": said_json(standing)}
    if len(committed) > 1:
        return answer | {"status": "conflict", "conflict": sorted(claim.run for claim in committed)}
    if not committed:
        begun = await _begun(lookup, claims)
        return answer | {"status": "candidate" if begun else "unknown"}
    claim = committed[0]
    run = (await lookup.runs([claim.run], facets=EVIDENCE_FACETS))[claim.run]
    edges = (await lookup.edges([claim], {run.run: run}))[claim]
    listed = await lookup.listed([run])
    columns = derive_columns(run, name, claim.version, lookup.identity, listed)
    fields = (output_facet(run, name, claim.version, "schema", lookup.identity) or {}).get("fields")
    return answer | {
        "status": "published",
        "committedAt": time_json(claim.commit_time),
        "run": await run_head(lookup, run),
        "subset": subset_json(subset_of(run, Scope.OUTPUT_OWN, name, claim.version, lookup.identity)),
        "edges": await _edges_json(lookup, run, edges),
        "inputs": [
            {"dataset": name_json(pin.dataset), "version": pin.version, "grade": pin.grade}
            for pin in await lookup.inputs(run)
        ],
        "columns": {
            column: [{**source._asdict(), "dataset": name_json(source.dataset)} for source in sources]
            for column, sources in columns.items()
        },
        "unknownColumns": [field["name"] for field in fields or () if field["name"] not in columns],
        "schema": fields,
    }


async def _begun(lookup: Lookup, claims: list[Claim]) -> bool:
    """Whether any of their runs was there at the time asked about."""
    if lookup.at is None:
        return bool(claims)
    runs = await lookup.runs({claim.run for claim in claims})
    return any(run.first_time is not None and run.first_time <= lookup.at for run in runs.values())


async def _edges_json(lookup: Lookup, run: RunFacts, edges: list[PinnedEdge]) -> list[Json]:
    """The edges, each with the part that was read, the position it was read at, and what was said of the generation."""
    pinned = [(edge.pin.dataset, edge.pin.version) for edge in edges if edge.pin.version is not None]
    standing = await lookup.standing(pinned)
    return [
        {
            **edge_json(edge),
            "subset": subset_json(
                subset_of(run, Scope.INPUT_OWN, edge.pin.dataset, edge.source.version, lookup.identity)
            ),
            "positions": positions_of(run, edge.pin.dataset, edge.source.version, lookup.identity),
            **standing_json(standing.get((edge.pin.dataset, edge.pin.version or "")), lookup.at),
        }
        for edge in edges
    ]


def edge_json(edge: PinnedEdge) -> Json:
    return {
        "dataset": name_json(edge.pin.dataset),
        "version": edge.pin.version,
        "grade": edge.source.grade,
        "pin": edge.pin.grade,
    }


async def _sources(lookup: Lookup, edges: list[Json], depth: int, seen: set[tuple[Name, str | None]]) -> list[Json]:
    """The evidence of each pinned input, each generation once in the whole answer."""
    found = []
    for edge in edges:
        name = Name(**edge["dataset"])
        if edge["version"] is None or (name, edge["version"]) in seen:
            continue
        seen.add((name, edge["version"]))
        answer = await _one(lookup, name, edge["version"])
        if depth > 1 and answer["status"] == "published":
            answer["sources"] = await _sources(lookup, answer["edges"], depth - 1, seen)
        found.append(answer)
    return found


async def _diagnostics(lookup: Lookup, name: Name, run: Json | None) -> Json:
    """What is no evidence and helps to understand it: candidates of the dataset, attempts of the same logical run."""
    members = lookup.identity.members(name)
    claims = await _candidates(lookup, members)
    runs = await lookup.runs({claim.run for claim in claims}, facets=HEAD_FACETS)
    candidates = [
        {"version": claim.version, **_candidate(await run_head(lookup, runs[claim.run]))}
        for claim in claims[:MAX_DIAGNOSTICS]
        if claim.run in runs
    ]
    key = run and run["logicalKey"]
    attempts = []
    if key:
        rows = (await lookup.attempts(key))[:MAX_DIAGNOSTICS]
        attempts = [{**run_json(row), "attempt": index} for index, row in enumerate(rows, 1)]
    return {"candidates": candidates, "truncated": len(claims) > MAX_DIAGNOSTICS, "attempts": attempts}


async def _candidates(lookup: Lookup, members: Sequence[Name]) -> list[Claim]:
    """The newest ones, one more than an answer lists. In the past, those too that were committed since."""
    most = MAX_DIAGNOSTICS + 1
    claims = await lookup.reader.history(members, committed=False, limit=most)
    at = lookup.at
    if at is not None:
        later = await lookup.reader.history(members, committed=True, limit=most)
        claims += [claim for claim in later if claim.commit_time is not None and claim.commit_time > at]
        runs = await lookup.runs({claim.run for claim in claims})
        claims = [claim for claim in claims if (first := runs[claim.run].first_time) is not None and first <= at]
    return claims[:most]


def _candidate(head: Json) -> Json:
    return {key: head[key] for key in ("runId", "job", "state", "attempt", "started", "ended", "error")}
