"""Takes rows away, see ``headwater.collector.stores.forgetting``."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final, TypeVar

from sqlalchemy import delete, select
from sqlalchemy.engine import Connection

from headwater.collector.facts import Scope
from headwater.collector.merging.keys import run_key, run_text
from headwater.collector.stores.forgetting import STATISTICS, DocumentRef
from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.touched import touch_everything

T = TypeVar("T")

_KEYS: Final = 200
"""In one statement."""
_SCOPES: Final = (Scope.INPUT, Scope.INPUT_OWN, Scope.OUTPUT, Scope.OUTPUT_OWN)
_OWNED: Final = (
    schema.facet.c.owner,
    schema.run_state.c.run,
    schema.run_io.c.run,
    schema.generation.c.run,
    schema.lifecycle.c.run,
    schema.want_run.c.run,
    schema.run.c.run,
)
"""Whose row is a run's."""


def forget(connection: Connection, runs: Collection[str], event_ids: Collection[str]) -> None:
    for keys in _some([bytes.fromhex(event_id) for event_id in event_ids]):
        connection.execute(delete(schema.document).where(schema.document.c.event_id.in_(keys)))
    for keys in _some(sorted(map(run_key, runs))):
        for column in _OWNED:
            connection.execute(delete(column.table).where(column.in_(keys)))
    touch_everything(connection)


def forget_statistics(connection: Connection, runs: Collection[str]) -> int:
    facet, count = schema.facet.c, 0
    for keys in _some(sorted(map(run_key, runs))):
        of_runs = (facet.owner.in_(keys), facet.scope.in_(list(map(int, _SCOPES))), facet.name.in_(STATISTICS))
        count += connection.execute(delete(schema.facet).where(*of_runs)).rowcount
    touch_everything(connection)
    return count


def forget_unused_values(connection: Connection) -> None:
    """Facet values that nothing says any more. On SQLite alone, where nobody else writes meanwhile: elsewhere a writer
    may have found a value there and be about to use it."""
    if connection.dialect.name == "sqlite":
        used = select(schema.facet.c.value).where(schema.facet.c.value.isnot(None))
        connection.execute(delete(schema.facet_value).where(schema.facet_value.c.key.notin_(used)))


def documents_of_runs(connection: Connection, runs: Collection[str]) -> list[DocumentRef]:
    document, found = schema.document.c, list[DocumentRef]()
    for keys in _some(sorted(map(run_key, runs))):
        statement = select(document.event_id, document.run, document.received_at).where(document.run.in_(keys))
        found += [DocumentRef(row[0].hex(), run_text(row[1]), row[2]) for row in connection.execute(statement)]
    return found


def _some(keys: Sequence[T]) -> Iterator[Sequence[T]]:
    for start in range(0, len(keys), _KEYS):
        yield keys[start : start + _KEYS]
