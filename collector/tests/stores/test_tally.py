"""Totals of names: kept by triggers, equal to what counting says."""

from __future__ import annotations

import asyncio
import sqlite3
from itertools import product
from pathlib import Path

import psycopg
import pytest
from tests.support.events import good_event
from tests.support.seeds import rng
from tests.support.server_stores import PATIENCE_S, empty_postgres
from tests.support.servers import needed
from tests.support.worlds import projected

from headwater.collector.stores.sql import SqlLineageStore, search
from headwater.collector.testing.conformance.events import history

_COUNTED = (
    "SELECT 'job', namespace, count(*) FROM job GROUP BY namespace UNION ALL "
    "SELECT 'dataset', namespace, count(first_time) FROM dataset GROUP BY namespace"
)


async def written(path: Path, events: list[bytes]) -> None:
    store = SqlLineageStore(f"sqlite:///{path}")
    await store.open()
    for event in events:
        await store.write([projected(event)])
    await store.close()


def counted(path: Path) -> set[tuple[str, str, int]]:
    with sqlite3.connect(path) as connection:
        return {row for row in connection.execute(_COUNTED) if row[2]}


def kept(path: Path) -> set[tuple[str, str, int]]:
    with sqlite3.connect(path) as connection:
        return {row for row in connection.execute("SELECT kind, namespace, names FROM name_tally") if row[2]}


async def test_totals_of_random_histories(tmp_path: Path) -> None:
    for number in range(3):
        path = tmp_path / f"{number}.db"
        await written(path, history(rng("tally", number), runs=10))
        assert kept(path) == counted(path) != set()


async def test_rows_that_go_are_taken_off(tmp_path: Path) -> None:
    path = tmp_path / "h.db"
    await written(path, [good_event(number, number) for number in range(4)])
    with sqlite3.connect(path) as connection:
        for name, function in search.FUNCTIONS.items():
            connection.create_function(name, 1, function)
        connection.execute("DELETE FROM job WHERE name = 'job-1'")
        connection.execute("DELETE FROM dataset WHERE name = 'out-1'")
        connection.execute("UPDATE dataset SET first_time = NULL WHERE name = 'out-2'")
    assert kept(path) == counted(path) == {("job", "jobs", 3), ("dataset", "db", 2)}


async def test_tables_of_before_are_counted_once(tmp_path: Path) -> None:
    path = tmp_path / "h.db"
    await written(path, [good_event(1, 1)])
    with sqlite3.connect(path) as connection:
        connection.execute("DROP TABLE name_tally")
    await written(path, [good_event(1, 1), good_event(2, 2)])
    assert kept(path) == counted(path) == {("job", "jobs", 2), ("dataset", "db", 2)}


async def test_a_reset_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / "h.db"
    await written(path, [good_event(1, 1), good_event(2, 2)])
    store = SqlLineageStore(f"sqlite:///{path}")
    await store.open()
    await store.reset()
    await store.write([projected(good_event(3, 3))])
    await store.close()
    assert kept(path) == counted(path) == {("job", "jobs", 1), ("dataset", "db", 1)}


_COUNTED_THERE = (
    "SELECT 'job', sha256(convert_to(namespace, 'UTF8')), count(*) FROM job GROUP BY namespace UNION ALL "
    "SELECT 'dataset', sha256(convert_to(namespace, 'UTF8')), count(first_time) FROM dataset GROUP BY namespace "
    "UNION ALL SELECT 'document', '', count(*) FROM document"
)
_KEPT_THERE = "SELECT kind, namespace, sum(names) FROM name_tally GROUP BY kind, namespace"


def alike(connection: psycopg.Connection) -> bool:
    counted, kept = ({row for row in connection.execute(ask) if row[2]} for ask in (_COUNTED_THERE, _KEPT_THERE))
    return counted == kept != set()


@pytest.mark.servers
async def test_totals_on_postgresql() -> None:
    url = empty_postgres(needed("postgres"))
    one, other = (SqlLineageStore(url, deadline_s=PATIENCE_S) for _ in range(2))
    await one.open()
    await other.open()
    with psycopg.connect(url, autocommit=True) as connection:
        for number in range(3):
            events = [projected(raw) for raw in history(rng("tally there", number), runs=10)]
            await asyncio.gather(one.write(events), other.write(events))
            assert alike(connection)
        connection.execute("DELETE FROM job WHERE key = (SELECT key FROM job ORDER BY key LIMIT 1)")
        connection.execute(
            "UPDATE dataset SET first_time = NULL WHERE key = (SELECT key FROM dataset ORDER BY key LIMIT 1)"
        )
        connection.execute("UPDATE dataset SET first_time = '2026' WHERE first_time IS NULL")
        assert alike(connection)
        connection.execute("DELETE FROM document WHERE seq < (SELECT max(seq) FROM document)")
        assert alike(connection)
        for table in ("name_tally", "job", "dataset", "document"):  # whoever empties all tables has any order
            connection.execute(f"DELETE FROM {table}")
        assert not connection.execute(_KEPT_THERE).fetchall()
        empty_postgres(url)
        await one.write([projected(good_event(2, 2))])
        assert alike(connection)
        connection.execute("DROP TABLE name_tally")
        for table, trigger in product(("job", "dataset"), ("came", "went", "seen")):
            connection.execute(f"DROP TRIGGER headwater_tally_{trigger} ON {table}")
        again = SqlLineageStore(url, deadline_s=PATIENCE_S)
        await again.open()
        assert alike(connection)
        await again.reset()
        await again.write([projected(good_event(1, 1))])
        assert alike(connection)
        await again.close()
    await one.close()
    await other.close()
