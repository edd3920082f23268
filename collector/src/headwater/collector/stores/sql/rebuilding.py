"""Throws the tables of the graph away and folds the documents into new ones.

The marker is a row of ``meta``: what the rebuild is, and how far it came, written in the transaction of each step. If
the version before had other columns in ``document``, that table is put aside as ``document_before``, and its rows
become documents again as they are folded, in their order.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import orjson
from sqlalchemy import LargeBinary, column, func, inspect, select, table, text
from sqlalchemy.engine import Connection

from headwater.collector.merging.merge import Merged
from headwater.collector.stores.rebuilding import Folded, Prepare, RebuildMarker, overtaken
from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.backends.base import Backend
from headwater.collector.stores.sql.documents import document_row
from headwater.collector.stores.sql.search import PARTS
from headwater.collector.stores.sql.steps import end_of_step
from headwater.collector.stores.sql.tally import TALLY
from headwater.collector.stores.sql.touched import touch_everything
from headwater.collector.stores.sql.version import restamp_version
from headwater.shared.errors import ConfigurationError, PermanentError

BEFORE: Final = "document_before"
KEPT: Final = frozenset({"document", "meta", "audit_seal"})
"""Tables that do not follow from documents."""
SEARCH: Final = ("search_gram", PARTS, "search_name", TALLY)
"""Tables for the search and for totals, which are not in ``schema.metadata``."""
_NAME: Final = "rebuild"
_ORDER: Final = "headwater_rebuild_seq"
_DOCUMENTS: Final = 500
"""Of one step."""


class _State(NamedTuple):
    """The marker, and where the work stands."""

    marker: RebuildMarker
    sources: list[str]
    """Tables whose documents are still to be folded; the first one is under way."""
    seq: int = -1
    """Of the last one that was folded."""
    aside: bool = False
    """``document_before`` goes when all is done."""
    unreadable: int = 0


def read_marker(connection: Connection) -> RebuildMarker | None:
    state = _state(connection)
    return None if state is None else state.marker


def _state(connection: Connection) -> _State | None:
    meta = schema.meta.c
    found = connection.execute(select(meta.value).where(meta.name == _NAME)).scalar()
    if found is None:
        return None
    marker, *rest = orjson.loads(found)
    return _State(RebuildMarker(*marker), *rest)


def _owned(connection: Connection, owner: str, store: str) -> _State:
    state = _state(connection)
    if state is None or state.marker.owner != owner:
        raise PermanentError(overtaken(store))
    return state


def _put(connection: Connection, state: _State | None) -> None:
    connection.execute(schema.meta.delete().where(schema.meta.c.name == _NAME))
    if state is not None:
        value = orjson.dumps([list(state.marker), *state[1:]]).decode()
        connection.execute(schema.meta.insert().values(name=_NAME, value=value))


def empty_graph(connection: Connection, backend: Backend, marker: RebuildMarker) -> None:
    """In one transaction: nothing of it shows before it ends."""
    tables = set(inspect(connection).get_table_names())
    schema.meta.create(connection, checkfirst=True)
    state = _state(connection) if "meta" in tables else None
    aside = state is not None and state.aside
    for name in (*(each.name for each in reversed(schema.metadata.sorted_tables)), *SEARCH):
        if name in tables and name not in KEPT:
            connection.execute(text(f'DROP TABLE "{name}"'))
    if "document" in tables and not _current(connection):
        if BEFORE in tables:
            raise ConfigurationError(
                "lineage.store.sql.url",
                backend.location,
                f"the table {BEFORE} is there from an earlier rebuild: finish that with the headwater that began it, "
                "or move the table away",
            )
        _put_aside(connection)
        aside, sources = True, [BEFORE]
    else:
        sources = [BEFORE, "document"] if aside else ["document"]
    backend.create_tables(connection)
    restamp_version(connection)
    touch_everything(connection)
    _order_by_arrival(connection, sources[0])
    _put(connection, _State(marker._replace(emptied=True), sources, aside=aside))


def reset(connection: Connection, backend: Backend) -> None:
    """See ``Resettable``: drops every table of ours, and makes them again."""
    tables = set(inspect(connection).get_table_names())
    for name in (*(each.name for each in reversed(schema.metadata.sorted_tables)), *SEARCH, BEFORE):
        if name in tables:
            connection.execute(text(f'DROP TABLE "{name}"'))
    backend.create_tables(connection)
    restamp_version(connection)
    touch_everything(connection)


def _current(connection: Connection) -> bool:
    found = {each["name"] for each in inspect(connection).get_columns("document")}
    return found == set(schema.document.c.keys())


def _put_aside(connection: Connection) -> None:
    """Without its indexes, whose names the new table takes."""
    inspector = inspect(connection)
    key = inspector.get_pk_constraint("document")["name"]
    for index in inspector.get_indexes("document"):
        if not index.get("duplicates_constraint"):
            connection.execute(text(f'DROP INDEX "{index["name"]}"'))
    connection.execute(text(f"ALTER TABLE document RENAME TO {BEFORE}"))
    if key and connection.dialect.name == "postgresql":
        connection.execute(text(f'ALTER TABLE {BEFORE} DROP CONSTRAINT "{key}"'))


def _order_by_arrival(connection: Connection, name: str) -> None:
    """SQLite's tables are in this order; others need an index for the time being."""
    if connection.dialect.name != "sqlite":
        connection.execute(text(f"DROP INDEX IF EXISTS {_ORDER}"))
        connection.execute(text(f"CREATE INDEX {_ORDER} ON {name} (seq)"))


def take_over(connection: Connection, owner: str, store: str) -> None:
    state = _state(connection)
    if state is None:
        raise PermanentError(overtaken(store))
    _put(connection, state._replace(marker=state.marker._replace(owner=owner)))


def end_rebuild(connection: Connection, owner: str, store: str) -> None:
    state = _owned(connection, owner, store)
    if connection.dialect.name != "sqlite":
        connection.execute(text(f"DROP INDEX IF EXISTS {_ORDER}"))
    if state.aside and not state.unreadable:  # what could not be read is nowhere else
        connection.execute(text(f"DROP TABLE IF EXISTS {BEFORE}"))
    _put(connection, None)


def fold_next(connection: Connection, backend: Backend, owner: str, store: str, prepare: Prepare) -> Folded:
    state = _owned(connection, owner, store)
    rows = _next(connection, state)
    while not rows and len(state.sources) > 1:
        state = state._replace(sources=state.sources[1:], seq=-1)
        _order_by_arrival(connection, state.sources[0])
        rows = _next(connection, state)
    merged, documents = Merged(), []
    unreadable: list[tuple[str, str]] = []
    for _, event_id, raw, received_at in rows:
        prepared = prepare(bytes(raw))
        if isinstance(prepared, str):
            unreadable.append((bytes(event_id).hex(), prepared))
            continue
        merged.add(prepared.projection.facts)
        if state.sources[0] == BEFORE:
            documents.append(document_row(prepared, received_at))
    if len(rows) > len(unreadable):
        backend.write_batch(connection, merged, documents)
    if rows:
        marker = state.marker._replace(folded=state.marker.folded + len(rows))
        unread = state.unreadable + len(unreadable)
        _put(connection, state._replace(marker=marker, seq=rows[-1][0], unreadable=unread))
    return Folded(len(rows), tuple(unreadable))


def _next(connection: Connection, state: _State) -> list[Any]:
    """(seq, event id, bytes, time of arrival) in order of arrival, as many as fit into a step."""
    found = table(
        state.sources[0],
        *(column("seq"), column("event_id", LargeBinary), column("raw", LargeBinary), column("received_at")),
    )
    ahead = select(found.c.seq, func.length(found.c.raw)).where(found.c.seq > state.seq).order_by(found.c.seq)
    last = end_of_step(connection, ahead.limit(_DOCUMENTS))
    if last is None:
        return []
    columns = (found.c.seq, found.c.event_id, found.c.raw, found.c.received_at)
    return list(
        connection.execute(select(*columns).where(found.c.seq > state.seq, found.c.seq <= last).order_by(found.c.seq))
    )
