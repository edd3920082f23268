"""Takes nodes away, see ``headwater.collector.stores.forgetting``. Values that nothing says any more stay until the
graph is rebuilt: a mention names its values by hash, so who uses one cannot be told without reading all."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from neo4j import AsyncSession

from headwater.collector.stores.forgetting import STATISTICS
from headwater.collector.stores.graph.transaction import Transaction

_CHANGES: Final = "UNWIND $rows AS row MATCH (:Run {id: row})-[:CAUSED]->(c:Change) DETACH DELETE c"
_GENERATIONS: Final = """
UNWIND $rows AS row
MATCH (:Run {id: row})-[m:MADE]->(g:Generation) DELETE m
WITH DISTINCT g WHERE NOT EXISTS { (g)<-[:MADE]-() }
DETACH DELETE g
"""
_RUNS: Final = "UNWIND $rows AS row MATCH (r:Run {id: row}) DETACH DELETE r"
_EVENTS: Final = "UNWIND $rows AS row MATCH (e:Event {id: row}) DETACH DELETE e"
_STATISTICS: Final = """
UNWIND $rows AS row
MATCH (:Run {id: row[0]})-[io:READS|WRITES]->()
WHERE any(said IN io.facets WHERE any(name IN row[1] WHERE said ENDS WITH ' ' + name))
WITH io, row, size(io.facets) AS before
SET io.facets = [said IN io.facets WHERE none(name IN row[1] WHERE said ENDS WITH ' ' + name)]
RETURN [[sum(before - size(io.facets))]]
"""


async def forget(session: AsyncSession, runs: Collection[str], event_ids: Collection[str]) -> None:
    """In one transaction."""
    async with await session.begin_transaction() as transaction:
        tx = Transaction(transaction)
        for statement, rows in (
            (_CHANGES, sorted(runs)),
            (_GENERATIONS, sorted(runs)),
            (_RUNS, sorted(runs)),
            (_EVENTS, sorted(event_ids)),
        ):
            await tx.each(statement, rows)
        await transaction.commit()


async def forget_statistics(session: AsyncSession, runs: Sequence[str]) -> int:
    """In one transaction."""
    async with await session.begin_transaction() as transaction:
        counts = await Transaction(transaction).each(_STATISTICS, [[run, list(STATISTICS)] for run in sorted(runs)])
        await transaction.commit()
    return sum(int(row[0]) for row in counts)
