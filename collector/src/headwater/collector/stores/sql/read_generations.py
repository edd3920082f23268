"""Reads of generations and of who read them; each an index look-up, whatever the number of runs."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import and_, bindparam, or_, select
from sqlalchemy.engine import Connection

from headwater.collector.facts import Side
from headwater.collector.merging.keys import name_key, run_key, run_text
from headwater.collector.stores.reading import Claim, PinQuery, Read, ReadQuery
from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.bounded import same_text
from headwater.collector.stores.sql.names import DATASETS
from headwater.collector.stores.sql.query import Query, Row, one_of
from headwater.collector.stores.sql.selecting import keys_of
from headwater.shared.event import Name

_NOTHING: set[str] = set()
LATEST = "~"
"""Greater than every canonical time."""
_gen, _io = schema.generation.c, schema.run_io.c
_NEWEST = (_gen.commit_time.desc(), _gen.version.desc(), _gen.run.desc())
_limit: Any = bindparam("limit")
_of_dataset = _gen.dataset == bindparam("dataset")
_CLAIM: Any = select(_gen.dataset, _gen.version, _gen.run, _gen.commit_time).where(_of_dataset)
_COMMITTED = _CLAIM.where(_gen.commit_time.isnot(None))


def _older(time: Any, version: Any) -> Any:
    return and_(_gen.commit_time <= time, or_(_gen.commit_time < time, _gen.version < version))


def _newer(time: Any, version: Any) -> Any:
    return and_(_gen.commit_time >= time, or_(_gen.commit_time > time, _gen.version > version))


_time: Any = bindparam("time")
_version: Any = bindparam("version")
_EXACT = Query(_CLAIM.where(same_text(_gen.version, _version)))
_CURRENT = Query(_COMMITTED.where(_gen.commit_time <= _time).order_by(*_NEWEST).limit(_limit), by_index=True)
_OWN = Query(select(_gen.dataset, _gen.version, _gen.run), among=_gen.run)
_NEXT = Query(
    _COMMITTED.where(_newer(_time, _version), _gen.run != bindparam("run"))
    .order_by(_gen.commit_time, _gen.version, _gen.run)
    .limit(1),
    by_index=True,
)
_HISTORY = Query(_COMMITTED.where(_older(_time, _version)).order_by(*_NEWEST).limit(_limit), by_index=True)
_CANDIDATES = Query(
    _CLAIM.where(_gen.commit_time.is_(None)).order_by(_gen.version.desc(), _gen.run.desc()).limit(_limit)
)
OF_RUNS = Query(select(_gen.dataset, _gen.version, _gen.run, _gen.commit_time), among=_gen.run)
"""What these runs claim."""
_READ: Any = (
    select(_io.run, _io.dataset, _io.version, _io.side)
    .where(_io.dataset == bindparam("dataset"), _io.side == bindparam("side"), same_text(_io.version, _version))
    .limit(_limit)
)
_READS = Query(_READ)
_READS_WITHIN = Query(_READ.where(_io.pin_time >= bindparam("since"), _io.pin_time <= bindparam("until")))
_LISTED = Query(
    select(_io.run)
    .where(_io.dataset == bindparam("dataset"), one_of(_io.side, (int(Side.INPUT), int(Side.OUTPUT))))
    .limit(1)
)


def claims(connection: Connection, generations: Collection[tuple[Name, str]]) -> list[Claim]:
    names = keys_of(name for name, _ in generations)
    asked = [{"dataset": name_key(name), "version": version} for name, version in generations]
    return [_claim(row, names) for rows in _EXACT.rows_each(connection, asked) for row in rows]


def _claim(row: Sequence[Any], names: dict[bytes, Name]) -> Claim:
    return Claim(names[row[0]], row[1], run_text(row[2]), row[3])


def claims_of_runs(connection: Connection, runs: Collection[str]) -> list[Claim]:
    return claims_from(connection, list(OF_RUNS.rows_among(connection, [run_key(run) for run in runs])))


def claims_from(connection: Connection, rows: Collection[Row]) -> list[Claim]:
    """The claims in rows of ``OF_RUNS``."""
    names = DATASETS.read(connection, [row[0] for row in rows])
    return [_claim(row, names) for row in rows]


def history(
    connection: Connection, members: Sequence[Name], committed: bool, limit: int, before: tuple[str, str] | None
) -> list[Claim]:
    names = keys_of(members)
    found: list[Claim] = []
    time, version = before or (LATEST, "")
    if committed:
        asked = [{"dataset": key, "time": time, "version": version, "limit": limit} for key in names]
        answers = _HISTORY.rows_each(connection, asked)
    else:
        answers = _CANDIDATES.rows_each(connection, [{"dataset": key, "limit": limit} for key in names])
    for rows in answers:
        found += [_claim(row, names) for row in rows]
    newest = sorted(found, key=lambda claim: (claim.commit_time or "", claim.version, claim.run), reverse=True)
    return newest[:limit]


def current(
    connection: Connection, pins: Sequence[PinQuery], known: Mapping[str, Sequence[Claim]] | None = None
) -> list[Claim | None]:
    """``known``: all claims of some runs."""
    own: dict[bytes, dict[bytes, set[str]]] = {}
    unknown: set[bytes] = set()
    for run in {pin.run for pin in pins if pin.run}:
        claims = known.get(run) if known else None
        if claims is None:
            unknown.add(run_key(run))
        for claim in claims or ():
            own.setdefault(run_key(run), {}).setdefault(name_key(claim.dataset), set()).add(claim.version)
    for dataset, version, key in _OWN.rows_among(connection, unknown):
        own.setdefault(key, {}).setdefault(dataset, set()).add(version)
    asked: list[dict[str, Any]] = []
    about: list[tuple[dict[bytes, Name], set[str]]] = []
    for pin in pins:
        names = {name_key(name): name for name in pin.members}
        written = own.get(run_key(pin.run)) if pin.run else None
        wrote = _NOTHING.union(*(written.get(key, ()) for key in names)) if written else _NOTHING
        about.append((names, wrote))
        time, limit = pin.at or LATEST, 1 + len(wrote)
        asked += [{"dataset": key, "time": time, "limit": limit} for key in names]
    answers = zip(asked, _CURRENT.rows_each(connection, asked), strict=True)
    return [_current(connection, names, wrote, answers) for names, wrote in about]


def _current(
    connection: Connection,
    names: dict[bytes, Name],
    wrote: set[str],
    answers: Iterator[tuple[dict[str, Any], list[Row]]],
) -> Claim | None:
    if len(names) == 1 and not wrote:
        _, rows = next(answers)
        return _claim(rows[0], names) if rows else None
    claims = []
    for asked, rows in itertools.islice(answers, len(names)):
        for row in _newest(connection, asked, rows):
            if row[1] not in wrote:
                claims.append(_claim(row, names))
                break
    return max(claims, key=_commit_order, default=None)


def _newest(connection: Connection, asked: dict[str, Any], rows: list[Row]) -> Iterator[Row]:
    """Committed claims, newest first, a few at a time: more than a few are skipped only where many runs commit what
    the reading run itself wrote."""
    seen, few = 0, asked["limit"]
    while True:
        yield from rows
        if len(rows) < few:
            return
        seen, few = seen + few, 8 * few
        rows = _CURRENT.rows(connection, **asked | {"limit": seen + few})[seen:]


def _commit_order(claim: Claim) -> tuple[str, str, str]:
    return claim.commit_time or "", claim.version, claim.run


def next_commit(connection: Connection, members: Sequence[Name], after: tuple[str, str], run: str) -> Claim | None:
    names, own = keys_of(members), run_key(run)
    rows = [_NEXT.row(connection, dataset=key, time=after[0], version=after[1], run=own) for key in names]
    return min((_claim(row, names) for row in rows if row), key=_commit_order, default=None)


def reads(connection: Connection, queries: Sequence[ReadQuery], limit: int) -> list[list[Read]]:
    declared: list[dict[str, Any]] = []
    resolved: list[dict[str, Any]] = []
    for query in queries:
        window = {"since": query.since or "", "until": query.until or LATEST}
        for key in keys_of(query.members):
            of_input = {"dataset": key, "side": int(Side.INPUT), "limit": limit}
            if query.version:
                declared.append(of_input | {"version": query.version})
            for side in (Side.INPUT, Side.NAMED):
                resolved.append(of_input | {"side": int(side), "version": ""} | window)  # noqa: PERF401
    by_version = iter(_READS.rows_each(connection, declared))
    by_time = iter(_READS_WITHIN.rows_each(connection, resolved))
    answers = []
    for query in queries:
        names = keys_of(query.members)
        found: list[Read] = []
        for _ in names:
            rows = [*(next(by_version) if query.version else ()), *next(by_time), *next(by_time)]
            found += [Read(run_text(row[0]), names[row[1]], row[2], Side(row[3])) for row in rows]
        answers.append(found[:limit])
    return answers


def listed(connection: Connection, datasets: Collection[Name]) -> set[Name]:
    names = keys_of(datasets)
    answers = _LISTED.rows_each(connection, [{"dataset": key} for key in names])
    return {name for name, rows in zip(names.values(), answers, strict=True) if rows}
