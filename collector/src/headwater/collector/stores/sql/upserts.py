"""The merge rules as SQL upserts, compiled once from SQLAlchemy Core. Parameters only.

These are SQLite's, a row at a time; PostgreSQL's, in ``backends.postgres.statements``, are derived from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Table, and_, bindparam, case, delete, or_, update
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine import Dialect
from sqlalchemy.sql.elements import ColumnElement

from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.query import Statement
from headwater.collector.stores.sql.wide import WideInsert

DERIVED_RUN = (
    "state",
    "contradiction",
    "started",
    "ended",
    "pin_time",
    "nominal_start",
    "logical_key",
    "parent",
    "root",
)
"""Derived columns: set when a row is inserted, and by the updates afterwards."""
MARK_COLUMNS = ("dataset", "version", "kind", "time", "event_id", "stands", "reason", "author")
"""The first five are the key."""


class Upserts:
    """One compiled statement for each table; rows are tuples in the order of ``columns``."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self.document = self._document()
        self.facet_value = self._insert(schema.facet_value, ["key", "value"], ["key"])
        self.run_state = self._insert(schema.run_state, ["run", "time", "type"], ["run", "time", "type"])
        self.lifecycle = self._insert(schema.lifecycle, keys := ["dataset", "time", "change", "previous", "run"], keys)
        self.mark = self._insert(schema.mark, MARK_COLUMNS, MARK_COLUMNS[:5])
        self.want = self._last_writer(schema.want, ["want"], ["time", "event_id", "partitions", "comment"])
        self.want_run = self._insert(schema.want_run, links := ["want", "role", "run"], links)
        self.symlink = self._insert(schema.symlink, ["dataset", "other"], ["dataset", "other"])
        self.touched = self._touched()
        self.job = self._seen(schema.job, [])
        self.dataset = self._seen(schema.dataset, ["carrier"])
        self.run = self._run()
        self.run_io = self._run_io()
        self.facet = self._facet()
        self.design_io = self._last_writer(schema.design_io, ["job", "side"], ["time", "event_id", "datasets"])
        self.generation = self._generation()
        self.job_edge = self._job_edge()
        self.update_run = self._update(schema.run, "run", DERIVED_RUN)
        self.update_io = self._update_io()
        self.update_carrier = self._update(schema.dataset, "key", ["carrier"])
        self.delete_generation = self._delete(schema.generation, ["dataset", "version", "run"])
        self.delete_lifecycle = self._delete(schema.lifecycle, keys)
        self.delete_job_edge = self._delete(schema.job_edge, ["job", "side", "dataset"])
        self.delete_symlinks = self._delete(schema.symlink, ["dataset"])
        self.raise_edges_since = self._raise_edges_since()

    def _sql(self, statement: Any) -> Statement:
        return str(statement.compile(dialect=self._dialect))

    def _upsert(self, statement: Any) -> Statement:
        """For what begins with ``_plain``."""
        return WideInsert(str(statement.compile(dialect=self._dialect)))

    def _insert(self, table: Table, columns: Sequence[str], key: Sequence[str]) -> Statement:
        """Union: what is there stays."""
        return self._upsert(self._plain(table, columns).on_conflict_do_nothing(index_elements=self._key(table, key)))

    def _key(self, table: Table, key: Sequence[str]) -> list[Any]:
        """As the table's unique index has it."""
        return list(key)

    def _document(self) -> Statement:
        """Of two spellings of one event the lesser bytes stay, so that the order of arrival does not matter."""
        table = schema.document
        statement = self._plain(table, [column.name for column in table.columns if column.name != "seq"])
        raw = statement.excluded.raw
        return self._upsert(
            statement.on_conflict_do_update(index_elements=["event_id"], set_={"raw": raw}, where=raw < table.c.raw)
        )

    def _plain(self, table: Table, columns: Sequence[str]) -> Any:
        return sqlite.insert(table).values({name: bindparam(name) for name in columns})

    def _seen(self, table: Table, defaults: Sequence[str]) -> Statement:
        """Min of first_time, max of last_time, null being no time."""
        statement = self._plain(table, ["key", "namespace", "name", "first_time", "last_time", *defaults])
        new = statement.excluded
        first, last = _least(table.c.first_time, new.first_time), _greatest(table.c.last_time, new.last_time)
        return self._upsert(
            statement.on_conflict_do_update(
                index_elements=["key"],
                set_={"first_time": first, "last_time": last},
                where=and_(
                    new.first_time.isnot(None),
                    or_(
                        table.c.first_time.is_(None),
                        new.first_time < table.c.first_time,
                        new.last_time > table.c.last_time,
                    ),
                ),
            )
        )

    def _touched(self) -> Statement:
        statement = self._plain(schema.touched, ["key", "stamp"])
        return self._upsert(
            statement.on_conflict_do_update(index_elements=["key"], set_={"stamp": statement.excluded.stamp})
        )

    def _run(self) -> Statement:
        table = schema.run
        columns = ["run", "first_time", "last_time", "job_rank", "job_time", "job_event", "job"]
        statement = self._plain(table, [*columns, *DERIVED_RUN])
        new = statement.excluded
        later = _later(
            [new.job_rank, new.job_time, new.job_event], [table.c.job_rank, table.c.job_time, table.c.job_event]
        )
        values: dict[str, Any] = {name: case((later, new[name]), else_=table.c[name]) for name in columns[3:]}
        values["first_time"] = _least(table.c.first_time, new.first_time)
        values["last_time"] = _greatest(table.c.last_time, new.last_time)
        return self._upsert(statement.on_conflict_do_update(index_elements=["run"], set_=values))

    def _run_io(self) -> Statement:
        table = schema.run_io
        key = ["run", "side", "dataset", "version"]
        statement = self._plain(table, [*key, "time", "commit_time", "pin_time"])
        new = statement.excluded
        return self._upsert(
            statement.on_conflict_do_update(
                index_elements=self._key(table, key),
                set_={
                    "time": _least(table.c.time, new.time),
                    "commit_time": _least(table.c.commit_time, new.commit_time),
                },
                where=or_(  # an event mostly says again what another one of the run has said
                    new.time < table.c.time,
                    and_(
                        new.commit_time.isnot(None),
                        or_(table.c.commit_time.is_(None), new.commit_time < table.c.commit_time),
                    ),
                ),
            )
        )

    def _facet(self) -> Statement:
        return self._last_writer(
            schema.facet, ["owner", "scope", "dataset", "version", "name"], ["time", "event_id", "value"]
        )

    def _last_writer(self, table: Table, key: list[str], value: list[str]) -> Statement:
        """Last writer by (time, event id)."""
        statement = self._plain(table, [*key, *value])
        new = statement.excluded
        return self._upsert(
            statement.on_conflict_do_update(
                index_elements=self._key(table, key),
                set_={name: new[name] for name in value},
                where=_later([new.time, new.event_id], [table.c.time, table.c.event_id]),
            )
        )

    def _delete(self, table: Table, key: Sequence[str]) -> Statement:
        return self._sql(delete(table).where(*(table.c[name] == bindparam(f"at_{name}") for name in key)))

    def _update(self, table: Table, key: str, columns: Sequence[str]) -> Statement:
        """Rows are the columns, then the key."""
        values: dict[str, Any] = {name: bindparam(f"new_{name}") for name in columns}
        return self._sql(update(table).where(table.c[key] == bindparam("at")).values(values))

    def _update_io(self) -> Statement:
        """Rows are (pin time, run, pin time); a mention that has the right one is left alone."""
        table = schema.run_io
        new: Any = bindparam("new_pin_time")
        stale = or_(table.c.pin_time.is_(None), table.c.pin_time != bindparam("than"))
        return self._sql(update(table).where(table.c.run == bindparam("at"), stale).values(pin_time=new))

    def _raise_edges_since(self) -> Statement:
        """Rows are (since, job, since)."""
        table = schema.job
        earlier = or_(table.c.edges_since.is_(None), table.c.edges_since < bindparam("than"))
        return self._sql(
            update(table).where(table.c.key == bindparam("at"), earlier).values(edges_since=bindparam("since"))
        )

    def _generation(self) -> Statement:
        key = ["dataset", "version", "run"]
        statement = self._plain(schema.generation, [*key, "commit_time"])
        return self._upsert(
            statement.on_conflict_do_update(
                index_elements=self._key(schema.generation, key),
                set_={"commit_time": statement.excluded.commit_time},
            )
        )

    def _job_edge(self) -> Statement:
        key = ["job", "side", "dataset"]
        statement = self._plain(schema.job_edge, [*key, "last_time"])
        new = statement.excluded
        return self._upsert(
            statement.on_conflict_do_update(
                index_elements=key, set_={"last_time": new.last_time}, where=new.last_time > schema.job_edge.c.last_time
            )
        )


def _least(ours: ColumnElement[Any], new: ColumnElement[Any]) -> ColumnElement[Any]:
    """The lesser one; null counts as absent."""
    return case((or_(ours.is_(None), new < ours), new), else_=ours)


def _greatest(ours: ColumnElement[Any], new: ColumnElement[Any]) -> ColumnElement[Any]:
    return case((or_(ours.is_(None), new > ours), new), else_=ours)


def _later(new: list[ColumnElement[Any]], ours: list[ColumnElement[Any]]) -> ColumnElement[bool]:
    """``new`` > ``ours``, column by column."""
    condition = new[-1] > ours[-1]
    for mine, theirs in zip(new[-2::-1], ours[-2::-1], strict=True):
        condition = or_(mine > theirs, and_(mine == theirs, condition))
    return condition


_COMPILED: dict[str, Upserts] = {}


def upserts_for(dialect: Dialect) -> Upserts:
    """The statements for a dialect, compiled once in a process."""
    if dialect.name not in _COMPILED:
        _COMPILED[dialect.name] = Upserts(dialect)
    return _COMPILED[dialect.name]
