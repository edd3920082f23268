"""Seals in the table ``audit_seal``; the contract is ``headwater.collector.stores.sealing.Trail``."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from sqlalchemy import func, inspect, select, text
from sqlalchemy.engine import Connection, Engine

from headwater.collector.stores.sealing import Kept, Seal, content_hash
from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.calling import Caller
from headwater.collector.stores.sql.steps import end_of_step
from headwater.shared.errors import PermanentError

P = ParamSpec("P")
T = TypeVar("T")

_KEYS: Final = 100
"""In one statement."""
_doc, _seal = schema.document.c, schema.audit_seal.c
_KEPT: Final[Any] = select(_doc.seq, _doc.event_id, _doc.raw, _doc.received_at)


class SqlTrail:
    """Reads in the store's reading threads, writes in its writing one."""

    def __init__(self, readers: Engine, reading: Caller, writer: Engine | None, writing: Caller) -> None:
        """``writer`` None: the store is open for reading alone."""
        self._readers, self._reading, self._writer, self._writing = readers, reading, writer, writing

    async def _read(self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        return await self._reading.call(self._readers, work, *args, **kwargs)

    async def _write(self, work: Callable[Concatenate[Connection, P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        if self._writer is None:
            raise PermanentError("the store is not open for writing")
        return await self._writing.call(self._writer, work, *args, **kwargs)

    async def prepare(self) -> None:
        """PostgreSQL needs an index for the order of arrival; SQLite's table is in that order."""
        await self._write(_prepare)

    async def head(self) -> Seal | None:
        return await self._read(_head)

    async def seals(self, after: int, limit: int) -> list[Seal]:
        return await self._read(_seals, after, limit)

    async def append(self, seal: Seal) -> bool:
        return await self._write(append, seal)

    async def arrived(self, after: int, limit: int) -> list[Kept]:
        return await self._read(_arrived, after, limit)

    async def kept(self, event_ids: Collection[str]) -> list[Kept]:
        return await self._read(_kept, event_ids)

    async def count_through(self, place: int) -> int:
        return await self._read(_count_through, place)


def _prepare(connection: Connection) -> None:
    if connection.dialect.name != "sqlite":
        connection.execute(text("CREATE INDEX IF NOT EXISTS document_arrival ON document (seq)"))


def _head(connection: Connection) -> Seal | None:
    if not inspect(connection).has_table(schema.audit_seal.name):
        return None  # a database of before seals, open for reading
    row = connection.execute(select(schema.audit_seal).order_by(_seal.number.desc()).limit(1)).first()
    return None if row is None else _as_seal(row)


def _seals(connection: Connection, after: int, limit: int) -> list[Seal]:
    if not inspect(connection).has_table(schema.audit_seal.name):
        return []
    statement = select(schema.audit_seal).where(_seal.number > after).order_by(_seal.number).limit(limit)
    return [_as_seal(row) for row in connection.execute(statement)]


def _as_seal(row: Any) -> Seal:
    return Seal._make(row)


def append(connection: Connection, seal: Seal) -> bool:
    """In the connection's transaction."""
    if connection.execute(select(_seal.number).where(_seal.number == seal.number)).first() is not None:
        return False
    connection.execute(schema.audit_seal.insert().values(seal._asdict()))
    return True


def _arrived(connection: Connection, after: int, limit: int) -> list[Kept]:
    ahead = select(_doc.seq, func.length(_doc.raw)).where(_doc.seq > after).order_by(_doc.seq).limit(limit)
    last = end_of_step(connection, ahead)
    if last is None:
        return []
    rows = connection.execute(_KEPT.where(_doc.seq > after, _doc.seq <= last).order_by(_doc.seq))
    return [_as_kept(row) for row in rows]


def _kept(connection: Connection, event_ids: Collection[str]) -> list[Kept]:
    keys = [bytes.fromhex(event_id) for event_id in event_ids]
    found: list[Kept] = []
    for start in range(0, len(keys), _KEYS):
        rows = connection.execute(_KEPT.where(_doc.event_id.in_(keys[start : start + _KEYS])))
        found += [_as_kept(row) for row in rows]
    return found


def _as_kept(row: Any) -> Kept:
    raw = row[2].encode() if isinstance(row[2], str) else bytes(row[2])  # SQLite keeps what somebody put there
    return Kept(row[0], bytes(row[1]).hex(), content_hash(raw, row[3]), row[3])


def _count_through(connection: Connection, place: int) -> int:
    statement = select(func.count()).select_from(schema.document).where(_doc.seq <= place)
    return int(connection.execute(statement).scalar_one())
