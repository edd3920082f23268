"""The ``sql`` store on PostgreSQL, held to its answers on SQLite."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any
from urllib.parse import SplitResult, urlsplit

import psycopg
import pytest
from tests.reference.test_histories import raw_events
from tests.servers.places import fresh_name
from tests.support import hostile
from tests.support.comparing import compare
from tests.support.orders import cut, shuffled, with_duplicates
from tests.support.seeds import rng
from tests.support.server_stores import PATIENCE_S, postgres_store
from tests.support.worlds import World, projected, sqlite_world

from headwater.collector.questions import Questions
from headwater.collector.stores.reading import EventFilter, RunFilter, Search
from headwater.collector.stores.sql import SqlLineageStore
from headwater.collector.testing.reference.histories import Historian
from headwater.shared.errors import ConfigurationError, PermanentError
from headwater.shared.event import Name

pytestmark = pytest.mark.servers


@pytest.fixture
async def postgres() -> AsyncIterator[World]:
    async with postgres_store() as store:
        yield World(store, Questions(store.reader()))


@pytest.fixture
async def sqlite() -> AsyncIterator[World]:
    async with sqlite_world() as world:
        yield world


def reader_of(world: World) -> Any:
    assert isinstance(world.store, SqlLineageStore)
    return world.store.reader()


async def same(postgres: World, sqlite: World) -> None:
    assert await postgres.questions.fingerprint() == await sqlite.questions.fingerprint()
    await compare(reader_of(postgres), reader_of(sqlite))


async def test_random_sets_give_the_answers_of_sqlite(postgres: World, sqlite: World) -> None:
    for number in range(5):
        source = rng("postgres sets", number)
        raw = raw_events(Historian(source, runs=12).history())
        await postgres.take(cut(with_duplicates(shuffled(raw, source), source, 0.3), source, 10))
        await sqlite.take([raw])
    await same(postgres, sqlite)


async def test_hostile_names_are_only_names(postgres: World, sqlite: World) -> None:
    raw = [hostile.event(name, number) for number, name in enumerate(hostile.names())]
    for world in (postgres, sqlite):
        await world.take([raw[:50]])
    await same(postgres, sqlite)
    for world in (postgres, sqlite):
        await world.take([raw[:250], raw[250:]])
    assert await postgres.questions.fingerprint() == await sqlite.questions.fingerprint()
    reader = reader_of(postgres)
    for one in raw:
        document = await reader.document(projected(one).event.event_id)
        assert document is not None
        assert document.raw == one


def event(number: int, **more: Any) -> bytes:
    body = {
        "eventType": "COMPLETE",
        "eventTime": f"2026-01-01T00:00:{number:02d}Z",
        "producer": "https://example.org/test",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": f"00000000-0000-7000-8000-{number:012x}"},
        "job": {"namespace": "jobs", "name": "job"},
    }
    return json.dumps(body | more).encode()


LONG = "\\" + "😀" * 4094
"""With one more character as long as a name may be: 16 kB, and an index takes 2.7."""


def long_event(number: int, end: str) -> bytes:
    """Texts that differ in their last character alone."""
    name = LONG + end
    version = {"version": {"datasetVersion": name}}
    return event(
        number,
        job={"namespace": name, "name": name, "facets": {name * 3: {"x": 1}}},
        inputs=[{"namespace": name, "name": name, "facets": version}],
        outputs=[{"namespace": name, "name": f"{end}{LONG}", "facets": version | {name: {"y": end}}}],
        run={
            "runId": f"00000000-0000-7000-8000-{number:012x}",
            "facets": {"headwater_attempt": {"logicalKey": name * 2}},
        },
    )


async def test_long_texts_that_differ_at_their_end_are_different(postgres: World, sqlite: World) -> None:
    raw = [long_event(number, end) for number, end in enumerate("abc")]
    for world in (postgres, sqlite):
        await world.take([raw[:2], raw[1:]])
    await same(postgres, sqlite)
    name = Name(LONG + "b", LONG + "b")
    reader = reader_of(postgres)
    assert [row.run[-1] for row in await reader.list_runs(RunFilter(logical_key=name.name * 2), 10)] == ["1"]
    assert [claim.run[-1] for claim in await reader.claims([(Name(name.namespace, "b" + LONG), name.name)])] == ["1"]


async def test_texts_sort_by_their_bytes(postgres: World, sqlite: World) -> None:
    names = ["b", "B", "a", "é", "e\u0301", "Z", "_", "-", "😀", "\uffff", "A b", "a-b", "ab"]
    raw = [event(number, outputs=[{"namespace": "n", "name": name}]) for number, name in enumerate(names)]
    for world in (postgres, sqlite):
        await world.take([raw])
    _, listed = await reader_of(postgres).list_datasets("n", 100, 0)
    assert [name.name for name in listed] == sorted(names)
    await same(postgres, sqlite)


async def test_a_search_finds_what_sqlite_finds(postgres: World, sqlite: World) -> None:
    names = ["Orders", "orders_eu", "ORDERS%", "100%_sure", "straße", "STRASSE", "back\\slash", "bang!", "日本語", "o"]
    raw = [
        event(number, job={"namespace": f"ns{number % 2}", "name": name}, outputs=[{"namespace": "n", "name": name}])
        for number, name in enumerate(names)
    ]
    for world in (postgres, sqlite):
        await world.take([raw[:5], raw[3:]])
    texts = ["orders", "ORD", "%", "_", "strasse", "\\", "!", "本", "o", "nothing"]
    searches = [Search(text) for text in texts]
    searches += [Search("o", kinds=("job",)), Search("o", namespace="ns1"), Search("o", newest_first=True)]
    searches += [Search("o", since="2026-01-01T00:00:01Z", before="2026-01-01T00:00:02Z"), Search("r", ("dataset",))]
    for where in searches:
        total, hits = await reader_of(postgres).search(where, 100, 0)
        wanted_total, wanted = await reader_of(sqlite).search(where, 100, 0)
        assert (total, sorted(hits)) == (wanted_total, sorted(wanted)), where
        folded = [hit.name.name.casefold() for hit in hits]
        assert folded == [hit.name.name.casefold() for hit in wanted], where
        assert await reader_of(postgres).search(where, 3, 1) == (total, hits[1:4])


async def test_one_batch_may_say_an_event_twice(postgres: World) -> None:
    one = event(1)
    spelled_otherwise = json.dumps(json.loads(one), indent=1).encode()
    await postgres.take([[one, spelled_otherwise, one], [spelled_otherwise]])
    documents = await reader_of(postgres).list_documents(EventFilter(), 10, 0)
    assert [document.raw for document in documents] == [min(one, spelled_otherwise)]


async def test_documents_are_listed_in_the_order_of_arrival(postgres: World) -> None:
    raw = [event(1, producer=f"https://example.org/{number}") for number in range(20)]
    await postgres.take([raw[:10], raw[10:]])
    listed = await reader_of(postgres).list_documents(EventFilter(descending=False), 100, 0)
    assert [document.raw for document in listed] == raw


async def test_several_processes_may_make_the_tables_at_once(postgres_database: str) -> None:
    stores = [SqlLineageStore(postgres_database, deadline_s=PATIENCE_S) for _ in range(4)]
    try:
        await asyncio.gather(*(store.open() for store in stores))
        await asyncio.gather(*(store.ping() for store in stores))
        await stores[0].write([projected(event(1))])
        assert (await stores[1].reader().counts())["events"] == 1
    finally:
        for store in stores:
            await store.close()


async def test_tables_of_another_version_are_refused(postgres_database: str) -> None:
    store = SqlLineageStore(postgres_database, deadline_s=PATIENCE_S)
    await store.open()
    await store.close()
    with psycopg.connect(postgres_database) as connection:
        connection.execute("UPDATE meta SET value = '0' WHERE name = 'schema_version'")
    for read_only in (False, True):
        refused = SqlLineageStore(postgres_database, deadline_s=PATIENCE_S, read_only=read_only)
        with pytest.raises(ConfigurationError, match="tables of version 0"):
            await refused.open()
        await refused.close()


async def test_reading_only_takes_what_is_there_and_writes_nothing(postgres_database: str) -> None:
    reading = SqlLineageStore(postgres_database, deadline_s=PATIENCE_S, read_only=True)
    with pytest.raises(ConfigurationError, match="no headwater tables"):
        await reading.open()
    writing = SqlLineageStore(postgres_database, deadline_s=PATIENCE_S)
    await writing.open()
    await writing.write([projected(event(1))])
    await reading.open()
    assert (await reading.reader().counts())["runs"] == 1
    with pytest.raises(PermanentError, match="not open for writing"):
        await reading.write([projected(event(2))])
    await reading.close()
    await writing.close()


@pytest.fixture
def roles(postgres_database: str) -> Iterator[tuple[str, str]]:
    """The database's URL for a role that may only change rows, and for one that may only read; tables in a schema."""
    names = [fresh_name(kind) for kind in ("writes", "reads")]
    with psycopg.connect(postgres_database, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA lineage")
        for name, rights in zip(names, ("SELECT, INSERT, UPDATE, DELETE", "SELECT"), strict=True):
            connection.execute(f"CREATE ROLE {name} LOGIN")
            connection.execute(f"GRANT USAGE ON SCHEMA lineage TO {name}")
            connection.execute(f"ALTER DEFAULT PRIVILEGES IN SCHEMA lineage GRANT {rights} ON TABLES TO {name}")
    writes, reads = (
        in_schema(
            urlsplit(postgres_database)._replace(netloc=f"{name}@{urlsplit(postgres_database).netloc.split('@')[1]}")
        )
        for name in names
    )
    yield writes, reads
    with psycopg.connect(postgres_database, autocommit=True) as connection:
        for name in names:
            connection.execute(f"DROP OWNED BY {name} CASCADE")
            connection.execute(f"DROP ROLE {name}")


def in_schema(place: SplitResult) -> str:
    return place._replace(query="options=-csearch_path%3Dlineage").geturl()


async def test_rights_to_rows_are_enough_once_the_tables_are_made(
    postgres_database: str, roles: tuple[str, str]
) -> None:
    with psycopg.connect(postgres_database, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION pg_trgm WITH SCHEMA lineage")
    owner = SqlLineageStore(in_schema(urlsplit(postgres_database)), deadline_s=PATIENCE_S)
    await owner.open()
    await owner.close()
    writing, reading = (
        SqlLineageStore(url, read_only=read_only, deadline_s=PATIENCE_S)
        for url, read_only in zip(roles, (False, True), strict=True)
    )
    await writing.open()
    await writing.write([projected(event(number)) for number in range(3)])
    await writing.write([projected(event(number, eventType="START")) for number in range(3)])
    await reading.open()
    assert (await reading.reader().counts())["events"] == 6
    assert (await reading.reader().search(Search("jo"), 10, 0))[0] == 1
    await reading.close()
    await writing.close()
    with psycopg.connect(postgres_database) as connection:
        found = connection.execute("SELECT DISTINCT schemaname FROM pg_indexes WHERE tablename = 'search_name'")
        assert found.fetchall() == [("lineage",)]
        assert connection.execute("SELECT to_regclass('lineage.search_gram')").fetchone() == ("lineage.search_gram",)


@pytest.fixture
def latin_database(postgres_url: str) -> Iterator[str]:
    name = fresh_name()
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
        yield urlsplit(postgres_url)._replace(path=f"/{name}").geturl()
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


async def test_a_database_of_another_encoding_is_refused(latin_database: str) -> None:
    store = SqlLineageStore(latin_database, deadline_s=PATIENCE_S)
    with pytest.raises(ConfigurationError, match="encoding is LATIN1"):
        await store.open()
    await store.close()


@pytest.mark.parametrize("url", ["mysql://h/d", "postgresql+asyncpg://h/d", "postgres", "/var/lib/x.db"])
def test_a_url_of_anything_else_is_refused(url: str) -> None:
    with pytest.raises(ConfigurationError, match=r"lineage\.store\.sql\.url"):
        SqlLineageStore(url)


def test_a_password_is_in_no_message() -> None:
    for url in ("postgresql+asyncpg://u:pa55word@h/d", "mysql://u:pa55word@h/d", "nonsense://u:pa55word@h:x/d"):
        with pytest.raises(ConfigurationError) as refused:
            SqlLineageStore(url)
        assert "pa55word" not in str(refused.value)
