"""What the graph looks like, and the constraints and indexes that it needs.

    (Run)-[RUN_OF]->(Job)                                  which job a run is of
    (Run)-[READS|WRITES|NAMES {version, time, facets}]->(Dataset)   as stated; NAMES: only a lineage facet names it;
                                                           facets: "scope time event hash name", hash being a Value's
    (Run)-[MADE {version, commitTime}]->(Generation)       derived: committed, or a candidate without commitTime
    (Generation)-[GENERATION_OF]->(Dataset)
    (Run|Job|Dataset)-[SAYS {scope, name, time, event}]->(Value {hash, body})   a facet; the body is its JSON
    (Job)-[CONSUMES|PRODUCES {lastTime}]->(Dataset)        derived: current if lastTime >= the job's edgesSince
    (Job)-[DESIGN]->(Design)-[LISTS]->(Dataset)            what a JobEvent says
    (Change {change, time})-[CHANGE_OF|PREVIOUS]->(Dataset)  DROP, RENAME, ...; with ``run`` where a run did it
    (Mark {version, kind, time, event, stands, reason, author})-[MARK_OF]->(Dataset)  a word on one generation;
                                                           ``generation`` is that generation's key, if it is there
    (Want {id, time, event, partitions, comment})          without ``time``: only a run names it
    (Run)-[SERVES|SPAWNED {at}]->(Want)                    is scheduled for it; its dep-miss asked for it;
                                                           ``spawning`` on SERVES: the want, if the run spawned any
    (Dataset)-[SYMLINK]->(Dataset)                         derived from the symlinks facet
    (Namespace {name, firstTime, deleted})                 of jobs and datasets; ``deleted``: up to when. Jobs and
                                                           datasets have it, too, and are hidden while not seen later
    (Event {id, type, time, run})                          an event whose facts are in the graph

Texts that can be longer than an index takes (names, versions) are found by hash or by their beginning: ``key`` of a job
or dataset is BLAKE2b-128 of namespace NUL name. ``folded`` is the name's beginning without regard to case, for the
search. The properties ``recency``, ``rank``, ``at``, ``recent`` and ``sort``
exist to be ordered by, see ``keys``.
"""

from __future__ import annotations

import asyncio
import time
from typing import Final

from neo4j import AsyncSession
from neo4j.exceptions import Neo4jError

SCHEMA_VERSION: Final = 5
"""Raised when the graph changes shape; a graph of another version is emptied and rebuilt from the documents."""

_UNIQUE: Final = {
    "Job": "key",
    "Dataset": "key",
    "Run": "id",
    "Generation": "key",
    "Value": "hash",
    "Change": "key",
    "Design": "key",
    "Mark": "key",
    "Want": "id",
    "Event": "id",
    "Namespace": "key",
    "HeadwaterMeta": "name",
}
LABELS: Final = tuple(_UNIQUE)
"""Of every node of ours."""
_NODE_INDEXES: Final = (
    ("Run", "recency"),
    ("Run", "job", "recency"),
    ("Run", "state", "recency"),
    ("Run", "logical", "recency"),
    ("Run", "parent", "recency"),
    ("Job", "sort"),
    ("Job", "lastTime"),
    ("Dataset", "sort"),
    ("Job", "firstTime"),
    ("Dataset", "firstTime"),
    ("Job", "deleted"),
    ("Dataset", "deleted"),
    ("Value", "source"),
    ("Mark", "generation"),
)
_TEXT_INDEXES: Final = (("Job", "folded"), ("Dataset", "folded"))
_RELATIONSHIP_INDEXES: Final = (
    ("MADE", "rank"),
    ("READS", "at"),
    ("NAMES", "at"),
    ("CONSUMES", "recent"),
    ("PRODUCES", "recent"),
    ("SERVES", "at"),
    ("SERVES", "spawning"),
    ("SPAWNED", "at"),
)


def definitions() -> dict[str, str]:
    """Name to statement of every constraint and index."""
    found = {}
    for label, key in _UNIQUE.items():
        name = _constraint(label)
        found[name] = f"CREATE CONSTRAINT {name} IF NOT EXISTS FOR (n:{label}) REQUIRE n.{key} IS UNIQUE"
    for label, *keys in _NODE_INDEXES:
        name = "_".join(("headwater", label.lower(), *keys)).lower()
        columns = ", ".join(f"n.{key}" for key in keys)
        found[name] = f"CREATE INDEX {name} IF NOT EXISTS FOR (n:{label}) ON ({columns})"
    for label, key in _TEXT_INDEXES:
        name = f"headwater_{label.lower()}_{key}"
        found[name] = f"CREATE TEXT INDEX {name} IF NOT EXISTS FOR (n:{label}) ON (n.{key})"
    for kind, key in _RELATIONSHIP_INDEXES:
        name = f"headwater_{kind.lower()}_{key}"
        found[name] = f"CREATE INDEX {name} IF NOT EXISTS FOR ()-[r:{kind}]-() ON (r.{key})"
    return found


PRESENT: Final = (
    "SHOW INDEXES YIELD name, state, owningConstraint WHERE name STARTS WITH 'headwater_' "
    "RETURN name, state, owningConstraint IS NOT NULL AS owned"
)
AWAIT: Final = "CALL db.awaitIndexes(300)"
_ORPHAN_S, _LOOK_S = 5.0, 0.25
VERSION: Final = (
    "MERGE (m:HeadwaterMeta {name: 'schema'}) ON CREATE SET m.version = $version RETURN m.version AS version"
)
KNOWN_VERSION: Final = "MATCH (m:HeadwaterMeta {name: 'schema'}) RETURN m.version AS version LIMIT 1"


async def prepare(session: AsyncSession) -> None:
    """Makes the constraints and indexes that are missing, and waits until all can be used."""
    found = await _present(session)
    orphans = _orphans(found)
    until_s = time.monotonic() + _ORPHAN_S
    while orphans and time.monotonic() < until_s:  # another collector may be making its constraint now
        await asyncio.sleep(_LOOK_S)
        found = await _present(session)
        orphans &= _orphans(found)
    for name in orphans:
        await _drop(session, name)
        found.pop(name, None)
    missing = [text for name, text in definitions().items() if name not in found]
    for statement in missing:
        await (await session.run(statement)).consume()
    if missing or any(state != "ONLINE" for state, _ in found.values()):
        await (await session.run(AWAIT)).consume()


async def _present(session: AsyncSession) -> dict[str, tuple[str, bool]]:
    """Name of an index to its state and whether a constraint owns it."""
    return {
        name: (state, owned) for name, state, owned in [tuple(r.values()) async for r in await session.run(PRESENT)]
    }


def _orphans(found: dict[str, tuple[str, bool]]) -> set[str]:
    """Indexes of constraints that are not there: whoever made the constraint was cut off. Such an index never comes
    online, and it keeps the constraint from being made."""
    return {name for name in map(_constraint, _UNIQUE) if name in found and not found[name][1]}


async def _drop(session: AsyncSession, name: str) -> None:
    try:
        await (await session.run(f"DROP INDEX {name} IF EXISTS")).consume()
    except Neo4jError as error:  # its constraint is there by now: another collector has been quicker
        if ".Schema." not in (error.code or ""):
            raise


def _constraint(label: str) -> str:
    return f"headwater_{label.lower()}_{_UNIQUE[label]}"
