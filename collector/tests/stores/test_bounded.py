"""Equality with a text that may be long is answered by an index."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import bindparam, create_engine, select
from sqlalchemy.dialects import sqlite
from sqlalchemy.sql import Select

from headwater.collector.stores.sql import schema
from headwater.collector.stores.sql.bounded import same_text

_run, _io = schema.run.c, schema.run_io.c
LOOK_UPS: dict[str, Callable[[], Select[Any]]] = {
    "run_logical": lambda: select(_run.run).where(same_text(_run.logical_key, bindparam("key"))),
    "run_io_read": lambda: select(_io.run).where(
        _io.dataset == bindparam("dataset"), _io.side == 0, same_text(_io.version, bindparam("version"))
    ),
}


@pytest.mark.parametrize("index", LOOK_UPS)
def test_sqlite_searches_the_index_down_to_the_text(index: str) -> None:
    engine = create_engine("sqlite://")
    schema.metadata.create_all(engine)
    compiled = LOOK_UPS[index]().compile(dialect=sqlite.dialect())
    raw = engine.raw_connection()
    connection = raw.driver_connection
    assert isinstance(connection, sqlite3.Connection)
    plan = connection.execute(f"EXPLAIN QUERY PLAN {compiled}", ["0"] * len(compiled.positiontup or ())).fetchall()
    raw.close()
    engine.dispose()
    (step,) = [row[3] for row in plan]
    assert index in step
    assert "SEARCH" in step
    assert step.endswith("version=?)") or "logical_key=?" in step, step
