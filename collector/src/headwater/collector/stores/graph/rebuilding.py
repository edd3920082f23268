"""Throws the graph away. The marker is a node ``HeadwaterMeta`` beside the one that holds the version."""

from __future__ import annotations

from typing import Any, Final

from neo4j import AsyncSession

from headwater.collector.stores.graph import schema
from headwater.collector.stores.rebuilding import RebuildMarker

_MANY: Final = ("Run", "Generation", "Change", "Design", "Mark", "Want", "Value")
"""Go first: what is tied to one job or dataset may be more than a transaction takes."""
_KEPT: Final = frozenset({"Event", "HeadwaterMeta"})
LABELS: Final = (*_MANY, *(label for label in schema.LABELS if label not in {*_MANY, *_KEPT}), "Event")
"""In the order in which they go. ``Event`` is last: an event counts as held while its node is there, so what a
collector writes meanwhile either stays whole or is folded again."""
_ROWS: Final = 1_000
"""Nodes deleted in one transaction, with their relationships."""

READ_MARKER: Final = (
    "MATCH (m:HeadwaterMeta {name: 'rebuild'}) RETURN collect([m.owner, m.release, m.startedAt, m.emptied])"
)
TAKE_OVER: Final = "MATCH (m:HeadwaterMeta {name: 'rebuild'}) SET m.owner = $owner RETURN m.owner"
END: Final = "MATCH (m:HeadwaterMeta {name: 'rebuild', owner: $owner}) DELETE m RETURN true"
_PUT: Final = """
MERGE (m:HeadwaterMeta {name: 'rebuild'})
SET m.owner = $owner, m.release = $release, m.startedAt = $started_at, m.emptied = false
"""
_EMPTIED: Final = """
MATCH (m:HeadwaterMeta {name: 'rebuild', owner: $owner}) SET m.emptied = true
MERGE (s:HeadwaterMeta {name: 'schema'}) SET s.version = $version RETURN true
"""


async def empty_graph(session: AsyncSession, marker: RebuildMarker) -> bool:
    """See ``Rebuildable``. False: another rebuild has taken over."""
    await _run(session, _PUT, owner=marker.owner, release=marker.release, started_at=marker.started_at)
    await _delete(session, LABELS)
    definitions = schema.definitions()
    for name, kind in await _run(session, _OLD):
        if name not in definitions:
            await _run(session, f"DROP {kind} {name} IF EXISTS")
    await schema.prepare(session)
    return bool(await _run(session, _EMPTIED, owner=marker.owner, version=schema.SCHEMA_VERSION))


async def reset(session: AsyncSession) -> None:
    """See ``Resettable``: constraints and indexes stay."""
    await _delete(session, (*LABELS, "HeadwaterMeta"))
    await schema.prepare(session)


async def _delete(session: AsyncSession, labels: tuple[str, ...]) -> None:
    for label in labels:
        delete = f"MATCH (n:{label}) WITH n LIMIT $rows DETACH DELETE n RETURN count(*)"
        while (await _run(session, delete, rows=_ROWS))[0][0]:
            pass


_OLD: Final = """
SHOW INDEXES YIELD name, owningConstraint WHERE name STARTS WITH 'headwater_'
RETURN name, CASE WHEN owningConstraint IS NULL THEN 'INDEX' ELSE 'CONSTRAINT' END
"""


async def _run(session: AsyncSession, statement: str, **parameters: Any) -> list[list[Any]]:
    result = await session.run(statement, parameters)
    return [list(record.values()) async for record in result]
