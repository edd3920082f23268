"""Reads of generations and of who read them; each an index look-up, whatever the number of runs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple, TypeAlias

from headwater.collector.facts import Side
from headwater.collector.stores.graph import keys
from headwater.collector.stores.graph.fetching import Fetch, Row, fetch_each
from headwater.collector.stores.reading import Claim, PinQuery, Read, ReadQuery, RunsPage
from headwater.shared.event import Name

OwnGenerations: TypeAlias = dict[str, set[tuple[str, str]]]
"""Run to the generations that it wrote, each (key of the dataset, version)."""


class Current(NamedTuple):
    """The newest claim, and whether anything was said of that generation."""

    claim: Claim
    marked: bool


def keys_of(names: Iterable[Name]) -> dict[str, Name]:
    """Key to name."""
    return {keys.of(name): name for name in names}


async def claims(fetch: Fetch, generations: Collection[tuple[Name, str]]) -> list[Claim]:
    asked = {keys.digest(keys.of(name), version): (name, version) for name, version in generations}
    rows = await fetch_each(fetch, _EXACT, asked)
    return [Claim(*asked[key], run, time) for key, run, time in rows]


async def claims_of_runs(fetch: Fetch, runs: Collection[str]) -> list[Claim]:
    return [Claim(Name(*row[:2]), *row[2:]) for row in await fetch_each(fetch, _OF_RUNS, runs)]


async def history(
    fetch: Fetch, members: Sequence[Name], committed: bool, limit: int, before: tuple[str, str] | None
) -> list[Claim]:
    names = keys_of(members)
    time, version = before or (keys.LATEST, "")
    if committed:
        rows = [[key, f"{key} {keys.ANY_TIME}", keys.rank(key, time, version), time, version] for key in names]
        found = await fetch_each(fetch, _HISTORY, rows, limit=limit)
    else:
        found = await fetch_each(fetch, _CANDIDATES, names, limit=limit)
    return sorted((_claim(row, names) for row in found), key=_commit_order, reverse=True)[:limit]


def _claim(row: Row, names: dict[str, Name]) -> Claim:
    return Claim(names[row[0]], *row[1:])


def _commit_order(claim: Claim) -> tuple[str, str, str]:
    return claim.commit_time or "", claim.version, claim.run


async def current(fetch: Fetch, pins: Sequence[PinQuery]) -> list[Claim | None]:
    wrote = await own_generations(fetch, {pin.run for pin in pins if pin.run})
    return [found and found.claim for found in await current_and_marked(fetch, pins, wrote)]


async def own_generations(fetch: Fetch, runs: Collection[str]) -> OwnGenerations:
    own: OwnGenerations = {}
    for run, dataset, version in await fetch_each(fetch, _OWN, runs):
        own.setdefault(run, set()).add((dataset, version))
    return own


async def current_and_marked(fetch: Fetch, pins: Sequence[PinQuery], own: OwnGenerations) -> list[Current | None]:
    """See ``GraphReader.current``. ``own``: of every run of the queries what it wrote."""
    names: dict[str, Name] = {}
    rows: list[list[object]] = []
    for number, pin in enumerate(pins):
        members = keys_of(pin.members)
        wrote = {version for dataset, version in own.get(pin.run or "", ()) if dataset in members}
        until = pin.at or keys.LATEST
        rows += [[number, key, f"{key} {keys.ANY_TIME}", f"{key} {until}!", sorted(wrote)] for key in members]
        names |= members
    newest: list[Current | None] = [None] * len(pins)
    for number, *row, marked in await fetch_each(fetch, _CURRENT, rows):
        claim, before = _claim(row, names), newest[number]
        if before is None or _commit_order(before.claim) < _commit_order(claim):
            newest[number] = Current(claim, marked)
    return newest


async def next_commit(fetch: Fetch, members: Sequence[Name], after: tuple[str, str], run: str) -> Claim | None:
    names, (time, version) = keys_of(members), after
    rows = [[key, keys.rank(key, time, version), f"{key} {keys.LATEST}", time, version] for key in names]
    found = await fetch_each(fetch, _NEXT, rows, run=run)
    return min((_claim(row, names) for row in found), key=_commit_order, default=None)


async def reads(fetch: Fetch, queries: Sequence[ReadQuery], limit: int) -> list[list[Read]]:
    rows: dict[Side, list[list[object]]] = {Side.INPUT: [], Side.NAMED: []}
    names: dict[str, Name] = {}
    for number, query in enumerate(queries):
        members = keys_of(query.members)
        names |= members
        for key in members:
            if query.version:
                exact = keys.at(key, query.version, None)
                rows[Side.INPUT].append([number, key, exact, exact])
            within = keys.at(key, "", query.since), keys.at(key, "", query.until or keys.LATEST)
            for side in rows:
                rows[side].append([number, key, *within])
    answers: list[list[Read]] = [[] for _ in queries]
    for side, statement in ((Side.INPUT, _READS), (Side.NAMED, _NAMES)):
        for number, key, run, version in await fetch_each(fetch, statement, rows[side], limit=limit):
            answers[number].append(Read(run, names[key], version, side))
    return [answer[:limit] for answer in answers]


async def readers(fetch: Fetch, query: ReadQuery, limit: int, after: tuple[str, str] | None) -> RunsPage:
    reads_: list[list[str]] = []
    named: list[list[str]] = []
    for key in keys_of(query.members):
        if query.version:
            reads_.append([exact := keys.at(key, query.version, None), exact])
        within = [keys.at(key, "", query.since), keys.at(key, "", query.until or keys.LATEST)]
        reads_.append(within)
        named.append(within)
    ranges = {"reads": reads_, "named": named}
    time, run = after or ("", "")
    total = (await fetch(_COUNT_READERS, **ranges))[0][0]
    found = await fetch(_READERS, **ranges, time=time, run=run, limit=limit)
    return RunsPage(total, tuple((row[0], row[1]) for row in found))


async def count_commits(fetch: Fetch, members: Collection[Name], before: tuple[str, str]) -> int:
    rows = [[f"{key} {keys.ANY_TIME}", keys.rank(key, *before), *before] for key in keys_of(members)]
    return sum(row[0] for row in await fetch_each(fetch, _COUNT_COMMITS, rows))


async def listed(fetch: Fetch, datasets: Collection[Name]) -> set[Name]:
    names = keys_of(datasets)
    return {names[row[0]] for row in await fetch_each(fetch, _LISTED, names)}


_EXACT = """
UNWIND $rows AS row
MATCH (:Generation {key: row})<-[m:MADE]-(n:Run)
WITH row, n, m ORDER BY row, n.id
RETURN collect([row, n.id, m.commitTime])
"""
_OF_RUNS = """
UNWIND $rows AS row
MATCH (n:Run {id: row})-[m:MADE]->(g:Generation)-[:GENERATION_OF]->(d:Dataset)
RETURN collect([d.namespace, d.name, g.version, n.id, m.commitTime])
"""
_OWN = """
UNWIND $rows AS row
MATCH (n:Run {id: row})-[:MADE]->(g:Generation)
RETURN collect([row, g.dataset, g.version])
"""
_NEWEST = "ORDER BY m.rank DESC, version DESC, run DESC"
_FOUND = "n.id AS run, m.version AS version, m.commitTime AS time"
_HISTORY = f"""
UNWIND $rows AS row
CALL (row) {{
    MATCH (n:Run)-[m:MADE]->() WHERE m.rank > row[1] AND m.rank <= row[2]
        AND (m.commitTime < row[3] OR m.version < row[4])
    RETURN {_FOUND} {_NEWEST} LIMIT $limit
}}
RETURN collect([row[0], version, run, time])
"""
_CANDIDATES = f"""
UNWIND $rows AS row
CALL (row) {{
    MATCH (n:Run)-[m:MADE]->() WHERE m.rank >= row + '  ' AND m.rank < row + ' {keys.ANY_TIME}'
    RETURN {_FOUND} {_NEWEST} LIMIT $limit
}}
RETURN collect([row, version, run, time])
"""
_CURRENT = f"""
UNWIND $rows AS row
CALL (row) {{
    MATCH (n:Run)-[m:MADE]->(g) WHERE m.rank > row[2] AND m.rank < row[3] AND NOT m.version IN row[4]
    RETURN {_FOUND}, g {_NEWEST} LIMIT 1
}}
RETURN collect([row[0], row[1], version, run, time, EXISTS {{ MATCH (:Mark {{generation: g.key}}) }}])
"""
_NEXT = f"""
UNWIND $rows AS row
CALL (row) {{
    MATCH (n:Run)-[m:MADE]->() WHERE m.rank >= row[1] AND m.rank < row[2] AND n.id <> $run
        AND (m.commitTime > row[3] OR m.version > row[4])
    RETURN {_FOUND} ORDER BY m.rank, version, run LIMIT 1
}}
RETURN collect([row[0], version, run, time])
"""
_READ = """
UNWIND $rows AS row
CALL (row) {
    MATCH (n:Run)-[r:%s]->() WHERE r.at >= row[2] AND r.at <= row[3]
    RETURN n.id AS run, r.version AS version LIMIT $limit
}
RETURN collect([row[0], row[1], run, version])
"""
_READS, _NAMES = _READ % "READS", _READ % "NAMES"
_LISTED = """
UNWIND $rows AS row
MATCH (d:Dataset {key: row}) WHERE EXISTS { (d)<-[:READS|WRITES]-() }
RETURN collect([row])
"""
_READING = """
CALL () {
    UNWIND $reads AS range MATCH (n:Run)-[r:READS]->() WHERE r.at >= range[0] AND r.at <= range[1] RETURN n
    UNION
    UNWIND $named AS range MATCH (n:Run)-[r:NAMES]->() WHERE r.at >= range[0] AND r.at <= range[1] RETURN n
}
"""
_COUNT_READERS = _READING + "WITH n WHERE n.pinTime IS NOT NULL RETURN [[count(DISTINCT n)]]"
_READERS = (
    _READING
    + """
WITH DISTINCT n WHERE n.pinTime > $time OR (n.pinTime = $time AND n.id > $run)
WITH n ORDER BY n.pinTime, n.id LIMIT $limit
RETURN collect([n.pinTime, n.id])
"""
)
_COUNT_COMMITS = """
UNWIND $rows AS row
CALL (row) {
    MATCH ()-[m:MADE]->() WHERE m.rank > row[0] AND m.rank <= row[1] AND (m.commitTime < row[2] OR m.version < row[3])
    RETURN count(m) AS made
}
RETURN collect([made])
"""
