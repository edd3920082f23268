"""Reads of generations and of who read them; each an index look-up, whatever the number of runs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import and_, or_, select, tuple_
from sqlalchemy.engine import Connection

from headwater.collector.facts import Side
from headwater.collector.stores.reading import Claim, PinQuery, Read, ReadQuery
from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.bases import chunks
from headwater.collector.stores.sql.keys import name_key, run_key, run_text
from headwater.collector.stores.sql.selecting import keys_of, rows_in
from headwater.shared.event import Name

_gen, _io, _dataset = schema.generation.c, schema.run_io.c, schema.dataset.c
_CLAIM: Any = select(_gen.dataset, _gen.version, _gen.run, _gen.commit_time)
_READ: Any = select(_io.run, _io.dataset, _io.version, _io.side)
_NEWEST = (_gen.commit_time.desc(), _gen.version.desc(), _gen.run.desc())


def claims(connection: Connection, generations: Collection[tuple[Name, str]]) -> list[Claim]:
    names = keys_of(name for name, _ in generations)
    found = []
    for some in chunks((name_key(name), version) for name, version in generations):
        rows = connection.execute(_CLAIM.where(tuple_(_gen.dataset, _gen.version).in_(some)))
        found += [_claim(row, names) for row in rows]
    return found


def _claim(row: Any, names: dict[bytes, Name]) -> Claim:
    return Claim(names[row[0]], row[1], run_text(row[2]), row[3])


def claims_of_runs(connection: Connection, runs: Collection[str]) -> list[Claim]:
    statement = select(_dataset.namespace, _dataset.name, _gen.version, _gen.run, _gen.commit_time).join_from(
        schema.generation, schema.dataset, _dataset.key == _gen.dataset
    )
    rows = rows_in(connection, statement, _gen.run, [run_key(run) for run in runs])
    return [Claim(Name(row[0], row[1]), row[2], run_text(row[3]), row[4]) for row in rows]


def history(
    connection: Connection, members: Sequence[Name], committed: bool, limit: int, before: tuple[str, str] | None
) -> list[Claim]:
    names = keys_of(members)
    found: list[Claim] = []
    for key in names:
        statement = _CLAIM.where(_gen.dataset == key)
        if committed:
            statement = statement.where(_gen.commit_time.isnot(None)).order_by(*_NEWEST)
            if before:
                time, version = before
                older = or_(_gen.commit_time < time, and_(_gen.commit_time == time, _gen.version < version))
                statement = statement.where(older)
        else:
            statement = statement.where(_gen.commit_time.is_(None)).order_by(_gen.version.desc(), _gen.run.desc())
        found += [_claim(row, names) for row in connection.execute(statement.limit(limit))]
    newest = sorted(found, key=lambda claim: (claim.commit_time or "", claim.version, claim.run), reverse=True)
    return newest[:limit]


def current(connection: Connection, pins: Sequence[PinQuery]) -> list[Claim | None]:
    found: list[Claim | None] = []
    for pin in pins:
        best: Claim | None = None
        for member in pin.members:
            claim = _current_of(connection, member, pin)
            if claim and (best is None or _newer(claim, best)):
                best = claim
        found.append(best)
    return found


def _newer(claim: Claim, other: Claim) -> bool:
    return (claim.commit_time or "", claim.version) > (other.commit_time or "", other.version)


def _current_of(connection: Connection, member: Name, pin: PinQuery) -> Claim | None:
    key = name_key(member)
    statement = _CLAIM.where(_gen.dataset == key, _gen.commit_time.isnot(None))
    if pin.at is not None:
        statement = statement.where(_gen.commit_time <= pin.at)
    if pin.run is not None:
        statement = statement.where(_gen.run != run_key(pin.run))
    row = connection.execute(statement.order_by(*_NEWEST).limit(1)).first()
    return None if row is None else _claim(row, {key: member})


def next_commit(connection: Connection, members: Sequence[Name], after: tuple[str, str]) -> Claim | None:
    time, version = after
    best: Claim | None = None
    for member in members:
        key = name_key(member)
        later = or_(_gen.commit_time > time, and_(_gen.commit_time == time, _gen.version > version))
        statement = _CLAIM.where(_gen.dataset == key, _gen.commit_time >= time, later)
        row = connection.execute(statement.order_by(_gen.commit_time, _gen.version, _gen.run).limit(1)).first()
        if row:
            claim = _claim(row, {key: member})
            best = claim if best is None or _newer(best, claim) else best
    return best


def reads(connection: Connection, queries: Sequence[ReadQuery], limit: int) -> list[list[Read]]:
    answers = []
    for query in queries:
        names = keys_of(query.members)
        found: list[Read] = []
        for key in names:
            declared = _READ.where(
                _io.dataset == key, _io.side == int(Side.INPUT), _io.version == query.version, _io.version != ""
            )
            found += [_read(row, names) for row in connection.execute(declared.limit(limit))]
            for side in (Side.INPUT, Side.NAMED):
                inferred = _READ.where(_io.dataset == key, _io.side == int(side), _io.version == "")
                if query.since is not None:
                    inferred = inferred.where(_io.pin_time >= query.since)
                if query.until is not None:
                    inferred = inferred.where(_io.pin_time <= query.until)
                found += [_read(row, names) for row in connection.execute(inferred.limit(limit))]
        answers.append(found[:limit])
    return answers


def _read(row: Any, names: dict[bytes, Name]) -> Read:
    return Read(run_text(row[0]), names[row[1]], row[2], Side(row[3]))


def listed(connection: Connection, datasets: Collection[Name]) -> set[Name]:
    found = set()
    for key, name in keys_of(datasets).items():
        statement = (
            select(_io.run).where(_io.dataset == key, _io.side.in_((int(Side.INPUT), int(Side.OUTPUT)))).limit(1)
        )
        if connection.execute(statement).first():
            found.add(name)
    return found
