"""The few things that a write asks of a transaction."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from neo4j import AsyncTransaction


class Transaction:
    """One transaction: statements over rows, values always as parameters."""

    def __init__(self, transaction: AsyncTransaction) -> None:
        self._transaction = transaction

    async def each(self, statement: str, rows: Collection[Any]) -> list[list[Any]]:
        """Runs a statement that begins with ``UNWIND $rows AS row``; what it returns, which is nothing or, as for
        ``Fetch``, one list of rows. No rows: nothing is sent."""
        if not rows:
            return []
        result = await self._transaction.run(statement, rows=list(rows))
        record = await result.single()
        return record[0] if record is not None else []
