"""Rebuilding the graph of a database from its own documents."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from tests.reference.test_histories import raw_events
from tests.support import hostile
from tests.support.seeds import rng
from tests.support.worlds import projected

from headwater.collector.maintenance.rebuilding import Rebuilder, Rebuilt, graphs_of, interrupted
from headwater.collector.questions import Questions
from headwater.collector.stores.composite import CompositeLineageStore
from headwater.collector.stores.logging_store import LoggingLineageStore
from headwater.collector.stores.reading import EventFilter
from headwater.collector.stores.rebuilding import RebuildMarker
from headwater.collector.stores.sql import SqlLineageStore, rebuilding, schema
from headwater.collector.testing.reference.histories import Historian
from headwater.shared.errors import ConfigurationError, PermanentError

from .memories import LONG_AGO, MemoryGraph


def history() -> list[bytes]:
    """More than one step of a rebuild."""
    named = [hostile.event(name, number) for number, name in enumerate(hostile.names(300))]
    return raw_events(Historian(rng("rebuild"), runs=120).history()) + named


async def filled(path: Path, raw: list[bytes]) -> tuple[str, list[tuple[str, str]]]:
    """A database of these events: its fingerprint, and its documents in order with their time of arrival."""
    store = SqlLineageStore(f"sqlite:///{path}")
    await store.open()
    for start in range(0, len(raw), 200):
        await store.write([projected(one) for one in raw[start : start + 200]])
    try:
        return await looked_at(store)
    finally:
        await store.close()


async def looked_at(store: SqlLineageStore) -> tuple[str, list[tuple[str, str]]]:
    documents = await store.reader().list_documents(EventFilter(), 100_000, 0)
    return await Questions(store.reader()).fingerprint(), [(each.event_id, each.received_at) for each in documents]


async def rebuilt(path: Path) -> tuple[Rebuilt, tuple[str, list[tuple[str, str]]]]:
    store, done = SqlLineageStore(f"sqlite:///{path}"), Rebuilt()
    try:
        await Rebuilder(CompositeLineageStore([store]), done).run(graphs_of([store], None))
        return done, await looked_at(store)
    finally:
        await store.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "headwater.db"


async def test_the_fingerprint_is_the_same(path: Path) -> None:
    before = await filled(path, history())
    damage(path)
    done, after = await rebuilt(path)
    assert after == before
    assert done.whole
    assert done.folded == {"sql": len(before[1])}
    assert done.resumed == {"sql": False}


def damage(path: Path) -> None:
    """Wrong facts, as an earlier version may have drawn them."""
    connection = sqlite3.connect(path)
    for statement in (
        "UPDATE run SET state = 'ABORTED'", "DELETE FROM run_io", "DELETE FROM generation", "DELETE FROM facet",
    ):  # fmt: skip
        connection.execute(statement)
    connection.commit()
    connection.close()


async def test_every_table_is_the_graphs_or_is_kept(path: Path) -> None:
    await filled(path, [])
    connection = sqlite3.connect(path)
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    connection.close()
    own = {name for name in tables if not name.startswith(("sqlite_", "search_gram_"))}
    assert own == set(schema.metadata.tables) | set(rebuilding.SEARCH)


async def test_one_that_was_broken_off_says_so_and_goes_on(path: Path) -> None:
    before = await filled(path, history())
    store, done = SqlLineageStore(f"sqlite:///{path}"), Rebuilt()

    def kill(step: str, count: int, _: int | None) -> None:
        if step == "fold sql":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await Rebuilder(CompositeLineageStore([store]), done, progress=kill).run(graphs_of([store], None))
    marker = await interrupted(store)
    assert marker is not None
    assert (marker.emptied, marker.folded) == (True, 500)
    assert (await looked_at(store))[0] != before[0]
    late = projected(hostile.event("written meanwhile", 5000))
    await store.write([late])
    await store.close()
    done, after = await rebuilt(path)
    assert done.resumed == {"sql": True}
    assert done.folded["sql"] == len(before[1]) + 1 - 500
    assert {event_id for event_id, _ in after[1]} == {late.event.event_id} | {event_id for event_id, _ in before[1]}
    other = SqlLineageStore(f"sqlite:///{path}.other")
    await other.open()
    await other.write([*(projected(one) for one in history()), late])
    assert after[0] == (await looked_at(other))[0]
    await other.close()


async def test_another_version_is_rebuilt_with_its_documents(path: Path) -> None:
    before = await filled(path, history())
    connection = sqlite3.connect(path)
    for statement in (
        "DROP INDEX document_time", "ALTER TABLE document DROP COLUMN type", "DROP TABLE job_edge",
        "CREATE INDEX document_time ON document (event_time, seq)", "UPDATE meta SET value = '1'",
        "ALTER TABLE run ADD COLUMN colour TEXT",
    ):  # fmt: skip
        connection.execute(statement)
    connection.commit()
    connection.close()
    store = SqlLineageStore(f"sqlite:///{path}")
    with pytest.raises(ConfigurationError, match="headwater rebuild"):
        await store.open()
    await store.close()
    done, after = await rebuilt(path)
    assert after == before
    assert done.whole
    connection = sqlite3.connect(path)
    assert not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'document_before'").fetchall()
    assert connection.execute("SELECT count(*) FROM document WHERE type IS NOT NULL").fetchone()[0] > 0
    connection.close()
    assert (await rebuilt(path))[1] == before


async def test_a_document_that_cannot_be_read_is_told_and_kept(path: Path) -> None:
    await filled(path, [hostile.event(f"name {number}", number) for number in range(10)])
    connection = sqlite3.connect(path)
    connection.execute("UPDATE document SET raw = ? WHERE seq = 3", (b"{",))
    connection.commit()
    connection.close()
    done, after = await rebuilt(path)
    assert (done.report.unreadable, done.folded, done.whole) == (1, {"sql": 9}, False)
    assert done.report.examples["unreadable"][0].reason.startswith("not_json")
    assert len(after[1]) == 10


async def test_the_later_of_two_takes_over(path: Path) -> None:
    await filled(path, [hostile.event(f"name {number}", number) for number in range(10)])
    store = SqlLineageStore(f"sqlite:///{path}")
    await store.empty_graph(RebuildMarker("first", "1", LONG_AGO))
    await store.open()
    await store.take_over("second")
    for step in (store.fold_next("first", lambda _: "unread"), store.end_rebuild("first")):
        with pytest.raises(PermanentError, match="another rebuild has taken over"):
            await step
    assert (await store.fold_next("second", projected)).documents == 10
    await store.end_rebuild("second")
    with pytest.raises(PermanentError, match="or has ended"):
        await store.end_rebuild("second")
    await store.close()


async def test_nothing_is_emptied_that_cannot_be_filled() -> None:
    with pytest.raises(ConfigurationError, match="none of these stores keeps a graph"):
        graphs_of([LoggingLineageStore()], None)
    with pytest.raises(ConfigurationError, match="none of these stores keeps a graph"):
        graphs_of([MemoryGraph("graph")], None)


def test_json_is_stable() -> None:
    assert json.loads(json.dumps(Rebuilt().as_dict()))["complete"] is False
