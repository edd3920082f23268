"""Questions about wants and readers are ranges of an index on SQLite: nothing goes through a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import pytest
from sqlalchemy import create_engine
from sqlalchemy.engine import Connection

from headwater.collector.stores.reading import LinkKind, ReadQuery, WantQuery
from headwater.collector.stores.sql import read_wants, schema
from headwater.shared.event import Name

ID = "00000000-0000-4000-8000-000000000001"
TIME = "2026-01-01T00:00:00.000000000Z"
TWO_NAMES = (Name("db", "t"), Name("hive", "t"))
READS: dict[str, Callable[[Connection], Any]] = {
    **{
        kind: lambda connection, kind=kind: read_wants.want_links(connection, [WantQuery(kind, ID, ID)], 100)  # type: ignore[misc]
        for kind in get_args(LinkKind)
    },
    "wants_by_id": lambda connection: read_wants.wants(connection, [ID]),
    "readers": lambda connection: read_wants.readers(
        connection, ReadQuery(TWO_NAMES, "1", TIME, None), 100, (TIME, ID)
    ),
    "readers without a version": lambda connection: read_wants.readers(
        connection, ReadQuery(TWO_NAMES[:1], "", None, TIME), 100, None
    ),
    "count_commits": lambda connection: read_wants.count_commits(connection, TWO_NAMES, (TIME, "1")),
}


@pytest.mark.parametrize("read", READS)
def test_no_table_is_gone_through(read: str) -> None:
    engine = create_engine("sqlite://")
    asked: list[str] = []
    with engine.begin() as connection:
        schema.metadata.create_all(connection)
        driver = connection.connection.driver_connection
        assert driver is not None
        driver.set_trace_callback(asked.append)
        READS[read](connection)
        driver.set_trace_callback(None)
        asked = [statement for statement in asked if statement.startswith("SELECT")]
        assert asked
        for statement in asked:
            plan = [row[3] for row in driver.execute(f"EXPLAIN QUERY PLAN {statement}")]
            through = [
                step for step in plan if step.startswith("SCAN") and "(subquery" not in step and "anon_" not in step
            ]
            assert not through, f"{statement}: {plan}"
    engine.dispose()
