"""Reads wants, who serves them, and who read a generation in pages; the contract is ``reading.GraphReader``."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any, Final

import orjson
from sqlalchemy import and_, bindparam, distinct, func, or_, select, union
from sqlalchemy.engine import Connection

from headwater.collector.facts import Side, WantRole
from headwater.collector.merging.keys import NO_KEY, name_key, run_key, run_text
from headwater.collector.stores.reading import LinkKind, ReadQuery, RunsPage, WantFacts, WantLinks, WantQuery
from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.bounded import same_text
from headwater.collector.stores.sql.query import Query
from headwater.collector.stores.sql.selecting import keys_of
from headwater.collector.stores.sql.wants import BOTH
from headwater.shared.event import Name

LATEST: Final = "~"
"""Greater than every canonical time."""
_want, _link, _io, _gen = schema.want.c, schema.want_run.c, schema.run_io.c, schema.generation.c
_WANTS = Query(select(_want.want, _want.time, _want.partitions, _want.comment), among=_want.want)
_limit: Any = bindparam("limit")
_key: Any = bindparam("key")
_since: Any = bindparam("since")


def _paged(role: WantRole, owner: Any, found: Any) -> tuple[Query, Query]:
    """(a page, the count), each a range of one index."""
    mine = and_(_link.role == int(role), owner == _key)
    page = select(found).where(mine, found >= _since).order_by(found).limit(_limit)
    return Query(page), Query(select(func.count()).select_from(schema.want_run).where(mine))


def _derived() -> tuple[Query, Query]:
    """Along those of the want's own runs that spawned any."""
    spawned = schema.want_run.alias("spawned")
    joined = schema.want_run.join(
        spawned, and_(spawned.c.run == _link.run, spawned.c.role == int(WantRole.SPAWNED), spawned.c.want != _key)
    )
    mine = and_(_link.role == BOTH, _link.want == bindparam("of"))
    each = select(spawned.c.want).select_from(joined).where(mine)
    page = each.distinct().where(spawned.c.want >= _since).order_by(spawned.c.want).limit(_limit)
    return Query(page), Query(select(func.count(distinct(spawned.c.want))).select_from(joined).where(mine))


_LINKS: Final[dict[LinkKind, tuple[Query, Query]]] = {
    "runs": _paged(WantRole.SERVES, _link.want, _link.run),
    "spawners": _paged(WantRole.SPAWNED, _link.want, _link.run),
    "wants": _paged(WantRole.SERVES, _link.run, _link.want),
    "spawned": _paged(WantRole.SPAWNED, _link.run, _link.want),
    "derived": _derived(),
}


def wants(connection: Connection, wanted: Collection[str]) -> dict[str, WantFacts]:
    rows = _WANTS.rows_among(connection, [run_key(want) for want in wanted])
    return {
        run_text(key): WantFacts(run_text(key), time, tuple(Name(*each) for each in orjson.loads(listed)), comment)
        for key, time, listed, comment in rows
    }


def want_links(connection: Connection, queries: Sequence[WantQuery], limit: int) -> list[WantLinks]:
    answers: list[WantLinks] = [WantLinks(0, ())] * len(queries)
    for kind, (page, count) in _LINKS.items():
        numbers = [number for number, query in enumerate(queries) if query.kind == kind]
        asked = [_values(queries[number]) for number in numbers]
        pages = page.rows_each(connection, [each | {"limit": limit} for each in asked])
        counts = count.rows_each(connection, asked)
        for number, rows, counted in zip(numbers, pages, counts, strict=True):
            answers[number] = WantLinks(counted[0][0], tuple(run_text(row[0]) for row in rows))
    return answers


def _values(query: WantQuery) -> dict[str, Any]:
    since = run_key(query.since) if query.since else NO_KEY
    return {"key": run_key(query.key), "of": run_key(query.key), "since": since}


_RANGES: Final = ((Side.INPUT, True), (Side.INPUT, False), (Side.NAMED, False))
"""(side, whether the version is declared)."""


def _range(declared: bool, dataset: str) -> list[Any]:
    """One range of the index over reads."""
    where = [_io.dataset == bindparam(dataset), _io.pin_time.isnot(None)]
    if declared:
        return [*where, _io.side == int(Side.INPUT), same_text(_io.version, bindparam("version"))]
    within = _io.pin_time >= bindparam("begin"), _io.pin_time <= bindparam("until")
    return [*where, same_text(_io.version, bindparam("none")), *within]


def _page(declared: bool) -> Query:
    time: Any = bindparam("time")
    run: Any = bindparam("run")
    later = _io.pin_time >= time, or_(_io.pin_time > time, _io.run > run)
    where = _range(declared, "dataset")
    if not declared:
        where.append(_io.side == bindparam("side"))
    first = select(_io.pin_time, _io.run).where(*where, *later).order_by(_io.pin_time, _io.run).limit(_limit)
    return Query(first, by_index=True)


_PAGES: Final = {declared: _page(declared) for declared in (True, False)}


@lru_cache(maxsize=16)
def _count(members: int, versioned: bool) -> Query:
    """Each run once, whichever of the ranges have it."""
    ranges = [
        select(_io.run).where(*_range(declared, f"dataset_{member}"), _io.side == int(side))
        for member in range(members)
        for side, declared in _RANGES
        if versioned or not declared
    ]
    return Query(select(func.count()).select_from(union(*ranges).subquery()))


def readers(connection: Connection, query: ReadQuery, limit: int, after: tuple[str, str] | None) -> RunsPage:
    keys = list(keys_of(query.members))
    values: dict[str, Any] = {"begin": query.since or "", "until": query.until or LATEST, "none": ""}
    if query.version:
        values["version"] = query.version
    named = {f"dataset_{number}": key for number, key in enumerate(keys)}
    total = _count(len(keys), bool(query.version)).rows(connection, **values, **named)[0][0]
    values |= {"time": after[0] if after else "", "run": run_key(after[1]) if after else NO_KEY, "limit": limit}
    found: set[tuple[str, bytes]] = set()
    for side, declared in _RANGES:
        if query.version or not declared:
            asked = [values | {"dataset": key, "side": int(side)} for key in keys]
            found.update(
                (row[0], bytes(row[1])) for rows in _PAGES[declared].rows_each(connection, asked) for row in rows
            )
    return RunsPage(total, tuple((time, run_text(run)) for time, run in sorted(found)[:limit]))


_time: Any = bindparam("time")
_COMMITS: Final = Query(
    select(func.count())
    .select_from(schema.generation)
    .where(
        _gen.dataset == _key,
        _gen.commit_time <= _time,
        or_(_gen.commit_time < _time, _gen.version < bindparam("version")),
    )
)


def count_commits(connection: Connection, members: Collection[Name], before: tuple[str, str]) -> int:
    time, version = before
    asked = [{"key": name_key(name), "time": time, "version": version} for name in members]
    answers = _COMMITS.rows_each(connection, asked)
    return sum(int(rows[0][0]) for rows in answers)
