"""Who read an instance, from the index of reads: what it costs depends on the page, not on the history."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from headwater.collector.derive.edges import inputs_of
from headwater.collector.questions.execution.heads import JOB_RUN_FACETS, head_json
from headwater.collector.questions.execution.instances import by_run, claim_json
from headwater.collector.questions.execution.pages import Cursor, beginning, page_json
from headwater.collector.questions.lookup import Lookup, pin_time
from headwater.collector.questions.shapes import Json
from headwater.collector.questions.walks import Generation, read_queries
from headwater.collector.stores.reading import ReadQuery, RunFacts
from headwater.shared.event import Name

MAX_ROUNDS: Final = 10
"""Fetches of one page: runs that the index has and that read another instance after all are passed over."""


async def consumers_page(lookup: Lookup, name: Name, version: str | None, limit: int, cursor: Cursor) -> Json:
    """Runs that read the instance, in the order in which they resolved their reads, each with what it made from it.
    ``total`` counts the index: a run that said later what else it read is counted and is not shown."""
    if version is None:
        return page_json([], 0, cursor, 0, None)
    generation: Generation = (name, version)
    queries, following = await read_queries(lookup, [generation])
    query = _joined(queries)
    late = await _late(lookup, following, query)
    after = _position(cursor)
    items = list((await _shown(lookup, late, generation, limit)).values()) if after is None else []
    passed = len(late) if after is None else 0
    more = True
    for _ in range(MAX_ROUNDS):
        found = await lookup.reader.readers(query, limit + 1, after)
        runs = found.runs[:limit]
        more = len(found.runs) > limit
        shown = await _shown(lookup, [run for _, run in runs], generation, limit)
        for each in runs:
            if len(items) >= limit and each[1] in shown:
                more = True
                break
            items += [shown[each[1]]] if each[1] in shown else []
            after, passed = each, passed + 1
        if not more or len(items) >= limit:
            break
    total = found.total + len(late)
    return page_json(items, total, cursor, passed, "_".join(after) if more and after else None)


def _position(cursor: Cursor) -> tuple[str, str] | None:
    time, _, run = cursor.position.rpartition("_")
    return (time, run) if time else None


def _joined(queries: list[ReadQuery]) -> ReadQuery:
    """Of a generation that several runs committed: from the first to the end of the last."""
    ends = [query.until for query in queries if query.until is not None]
    return queries[0]._replace(
        since=min(query.since or "" for query in queries), until=max(ends) if len(ends) == len(queries) else None
    )


async def _late(lookup: Lookup, following: set[tuple[Name, str]], query: ReadQuery) -> list[str]:
    """Writers of the next generation that began after it was committed: what a run wrote is not what it read, so they
    read this one, and no range of times has them."""
    writers = sorted({claim.run for claim in await lookup.reader.claims(following)})
    runs = await lookup.runs(writers) if writers and query.until is not None else {}
    return [run for run in writers if run in runs and (pin_time(runs[run]) or "") > (query.until or "~")]


async def _shown(lookup: Lookup, candidates: list[str], generation: Generation, limit: int) -> dict[str, Json]:
    """Those of the runs that did read it."""
    runs = await lookup.runs(candidates, facets=JOB_RUN_FACETS) if candidates else {}
    claims = by_run(lookup, await lookup.claims_of_runs(runs)) if runs else {}
    edges = await lookup.edges([claim for each in claims.values() for claim in each], runs)
    read = await _read(lookup, runs)
    found: dict[str, Json] = {}
    for run in candidates:
        if run not in runs:
            continue
        made = [
            {**claim_json(lookup, claim), "grade": edge.source.grade}
            for claim in claims.get(run, ())
            for edge in edges.get(claim, ())
            if (edge.pin.dataset, edge.pin.version) == generation
        ]
        if made or generation in read.get(run, ()):
            found[run] = {**head_json(runs[run]), "instances": beginning(made, limit, dict)}
    return found


async def _read(lookup: Lookup, runs: Mapping[str, RunFacts]) -> dict[str, set[Generation]]:
    """What each run read."""
    wanted = [(run, name, version) for run in runs.values() for name, version in inputs_of(run, lookup.identity)]
    pins = await lookup.pins(wanted)
    found: dict[str, set[Generation]] = {}
    for run, name, version in wanted:
        pin = pins[run.run, name, version]
        found.setdefault(run.run, set()).add((pin.dataset, pin.version))
    return found
