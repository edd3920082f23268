"""Reads of runs."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import orjson

from headwater.collector.facts import Scope
from headwater.collector.stores.graph import keys
from headwater.collector.stores.graph.fetching import Fetch, Row, fetch_each
from headwater.collector.stores.graph.known import SIDES, STATE_SEPARATOR
from headwater.collector.stores.graph.mentions import MentionFacet, parsed
from headwater.collector.stores.reading import IO, Claim, Facets, OutputFacet, RunFacts, RunFilter, RunRow
from headwater.shared.event import Name


async def runs(
    fetch: Fetch,
    wanted: Collection[str],
    io: bool,
    facets: Collection[str] | None,
    described: Collection[str] | None,
) -> dict[str, RunFacts]:
    found = await runs_and_claims(fetch, wanted, io, facets, described, claims=False)
    return {run: facts for run, (facts, _) in found.items()}


async def runs_and_claims(
    fetch: Fetch,
    wanted: Collection[str],
    io: bool,
    facets: Collection[str] | None,
    described: Collection[str] | None,
    *,
    claims: bool = True,
) -> dict[str, tuple[RunFacts, list[Claim]]]:
    """With what each run claims to have written."""

    def asked(facet: MentionFacet) -> bool:
        about_dataset = facet.scope in (Scope.INPUT, Scope.OUTPUT)
        return (facets is None or facet.name in facets) and (
            described is None or not about_dataset or facet.name in described
        )

    names = None if facets is None else sorted(facets)
    rows = await fetch_each(fetch, _RUNS_AND_CLAIMS if claims else _RUNS, wanted, io=io, facets=names)
    mentioned = {
        facet.value: None for row in rows for mention in row[6] for facet in map(parsed, mention[-1]) if asked(facet)
    }
    bodies: dict[str, str] = dict(await fetch_each(fetch, _BODIES, mentioned)) if mentioned else {}
    return {
        row[0]: (
            _facts(row, io, asked, bodies),
            [Claim(Name(*made[:2]), made[2], row[0], made[3]) for made in row[9]],
        )
        for row in rows
    }


def _facts(row: Row, io: bool, asked: Callable[[MentionFacet], bool], bodies: dict[str, str]) -> RunFacts:
    run, namespace, name, first, last, states, mentions, said, named, _ = row
    spoken = _Said()
    for scope, facet_name, body in said:
        spoken.add_own(scope, facet_name, body)
    listed: list[IO] = []
    for kind, space, other, version, commit_time, texts in mentions:
        dataset = Name(space, other)
        listed.append(IO(SIDES[kind], dataset, version, commit_time))
        for facet in map(parsed, texts):
            if asked(facet):
                spoken.add_of(dataset, version, facet, bodies.get(facet.value))
    return RunFacts(
        run,
        Name(namespace, name),
        first,
        last,
        tuple((word, time) for time, word in (each.split(STATE_SEPARATOR) for each in states or ())),
        tuple(listed) if io else (),
        spoken.facets,
        spoken.job_facets,
        spoken.io_facets,
        tuple(spoken.output_facets),
        named,
    )


class _Said:
    """The facets of one run."""

    def __init__(self) -> None:
        self.facets: Facets = {}
        self.job_facets: Facets = {}
        self.io_facets: dict[tuple[Scope, Name, str], Facets] = {}
        self.output_facets: list[OutputFacet] = []

    def add_own(self, scope: int, name: str, body: str | None) -> None:
        if body is not None:
            (self.facets if scope == Scope.RUN else self.job_facets)[name] = orjson.loads(body)

    def add_of(self, dataset: Name, version: str, facet: MentionFacet, body: str | None) -> None:
        value = None if body is None else orjson.loads(body)
        if facet.scope == Scope.OUTPUT:
            said = (facet.time, facet.event)
            self.output_facets.append(OutputFacet(dataset, version, facet.name, said, value))
        if value is not None:
            self.io_facets.setdefault((Scope(facet.scope), dataset, version), {})[facet.name] = value


async def run_rows(fetch: Fetch, wanted: Collection[str]) -> dict[str, RunRow]:
    rows = await fetch_each(fetch, f"UNWIND $rows AS row MATCH (n:Run {{id: row}}) {_ROW}", wanted)
    return {row[0]: _row(row) for row in rows}


def _row(row: Row) -> RunRow:
    run, namespace, name, *rest = row
    return RunRow(run, None if name is None else Name(namespace, name), *rest)


async def list_runs(fetch: Fetch, where: RunFilter, limit: int) -> list[RunRow]:
    condition, order, parameters = _filtered(where)
    direction = "ASC" if where.oldest_first else "DESC"
    ordered = ", ".join(f"n.{key} {direction}" for key in order)
    statement = f"MATCH (n:Run) WHERE {condition} WITH n ORDER BY {ordered} LIMIT $limit {_ROW}"
    found = [_row(row) for row in await fetch(statement, limit=limit, **parameters)]
    return sorted(found, key=lambda row: (row.first_time or "", row.run), reverse=not where.oldest_first)


async def count_runs(fetch: Fetch, where: RunFilter) -> int:
    condition, _, parameters = _filtered(where._replace(before=None))
    return int((await fetch(f"MATCH (n:Run) WHERE {condition} RETURN [[count(n)]]", **parameters))[0][0])


def _filtered(where: RunFilter) -> tuple[str, list[str], dict[str, Any]]:
    """(condition, properties to order by so that an index of them serves, parameters). The text has no value in it."""
    equal = {
        "logical": where.logical_key and keys.digest(where.logical_key),
        "parent": where.parent,
        "job": where.job and keys.of(where.job),
        "state": where.state,
    }
    parameters = {name: value for name, value in equal.items() if value is not None}
    conditions = [f"n.{name} = ${name}" for name in parameters]
    low, high = "", ""
    if where.since is not None:
        low = where.since
    if where.before is not None:
        high = keys.recency(*where.before)
        conditions.append("n.recency < $high")
    conditions.append("n.recency >= $low")
    return " AND ".join(conditions), [*list(parameters)[:1], "recency"], {**parameters, "low": low, "high": high}


async def latest_runs(fetch: Fetch, jobs: Collection[Name], each: int) -> dict[Name, list[RunRow]]:
    by_key = {keys.of(job): job for job in jobs}
    found: dict[Name, list[RunRow]] = {job: [] for job in by_key.values()}
    for key, run, *rest in await fetch_each(fetch, _LATEST, by_key, each=each):
        found[by_key[key]].append(RunRow(run, by_key[key], *rest))
    for rows in found.values():
        rows.sort(key=lambda row: (row.first_time or "", row.run), reverse=True)
    return found


_DERIVED = """n.state, n.contradiction, n.started, n.ended, n.firstTime, n.lastTime, n.logicalKey, n.nominalStart,
    n.parent, n.root"""
_ROW = f"""
OPTIONAL MATCH (n)-[:RUN_OF]->(j:Job)
RETURN collect([n.id, j.namespace, j.name, {_DERIVED}])
"""
_RUN_FACTS = """
UNWIND $rows AS row
MATCH (n:Run {id: row})-[:RUN_OF]->(j:Job)
RETURN collect([n.id, j.namespace, j.name, n.firstTime, n.lastTime, n.states,
    CASE WHEN NOT $io AND size($facets) = 0 THEN [] ELSE
        [(n)-[r:READS|WRITES|NAMES]->(d:Dataset) | [type(r), d.namespace, d.name, r.version, r.commitTime,
            CASE WHEN size($facets) = 0 THEN [] ELSE coalesce(r.facets, []) END]] END,
    CASE WHEN size($facets) = 0 THEN [] ELSE
        [(n)-[r:SAYS]->(v:Value) WHERE $facets IS NULL OR r.name IN $facets | [r.scope, r.name, v.body]] END,
    n.jobTime, %s])
"""
_RUNS = _RUN_FACTS % "[]"
_RUNS_AND_CLAIMS = (
    _RUN_FACTS % "[(n)-[m:MADE]->(g:Generation)-[:GENERATION_OF]->(d:Dataset) | "
    "[d.namespace, d.name, g.version, m.commitTime]]"
)
_BODIES = "UNWIND $rows AS row MATCH (v:Value {hash: row}) RETURN collect([row, v.body])"
_LATEST = f"""
UNWIND $rows AS row
CALL (row) {{
    MATCH (n:Run) WHERE n.job = row AND n.recency >= '' RETURN n ORDER BY n.job DESC, n.recency DESC LIMIT $each
}}
RETURN collect([row, n.id, {_DERIVED}])
"""
