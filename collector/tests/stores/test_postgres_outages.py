"""PostgreSQL that is killed, stopped, or closes connections: said so in time, and nothing that was returned is lost."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable

import psycopg
import pytest
from tests.servers.server import Server
from tests.support import hostile
from tests.support.server_stores import PATIENCE_S, empty_postgres
from tests.support.worlds import projected

from headwater.collector.stores.sql import SqlLineageStore
from headwater.shared.errors import PermanentError, TransientError

BATCH = [projected(hostile.event(f"kill {number}", number)) for number in range(50)]
OwnServer = Callable[[str], Server]


@contextlib.asynccontextmanager
async def opened(url: str, deadline_s: float) -> AsyncIterator[SqlLineageStore]:
    store = SqlLineageStore(url, deadline_s=deadline_s)
    await store.open()
    try:
        yield store
    finally:
        await store.close()


async def counted(store: SqlLineageStore) -> int:
    return (await store.reader().counts())["events"]


async def test_what_was_returned_survives_a_kill(own_server: OwnServer) -> None:
    server = own_server("postgres")
    async with opened(await asyncio.to_thread(empty_postgres, server.url), PATIENCE_S) as store:
        await store.write(BATCH[:30])
        await asyncio.to_thread(server.kill)
        for call in (store.ping(), store.write(BATCH), counted(store)):
            with pytest.raises(TransientError):
                await call
        await asyncio.to_thread(server.start)
        assert await counted(store) == 30
        await store.write(BATCH)
        assert await counted(store) == len(BATCH)


async def test_a_server_that_stands_still_is_said_so_in_time(own_server: OwnServer) -> None:
    server = own_server("postgres")
    async with opened(await asyncio.to_thread(empty_postgres, server.url), PATIENCE_S) as patient:
        await patient.write(BATCH[:1])
    async with opened(f"{server.url.rpartition('/')[0]}/headwater_worlds", 4.0) as store:
        assert await counted(store) == 1
        server.pause()
        try:
            for call in (store.ping(), store.write(BATCH), counted(store)):
                with pytest.raises(TransientError, match="did not answer within 4 s"):
                    await call
        finally:
            server.resume()
    async with opened(f"{server.url.rpartition('/')[0]}/headwater_worlds", PATIENCE_S) as store:
        await store.write(BATCH)
        assert await counted(store) == len(BATCH)


async def test_connections_that_break_while_nobody_uses_them_are_replaced(postgres_url: str) -> None:
    """By a fail-over, a proxy, an administrator: the next call does not fail."""
    url = empty_postgres(postgres_url)
    async with opened(url, PATIENCE_S) as store:
        for number in range(3):
            await store.write(BATCH[number : number + 10])
            assert await asyncio.gather(*(counted(store) for _ in range(4))) == [number + 10] * 4
            await terminate_others(url)


async def terminate_others(url: str) -> None:
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        await connection.execute(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


async def test_a_connection_that_breaks_in_the_middle_of_a_write_costs_nothing(postgres_url: str) -> None:
    url = empty_postgres(postgres_url)
    async with opened(url, PATIENCE_S) as store:
        await store.write(BATCH[:10])
        async with await psycopg.AsyncConnection.connect(url) as other:
            await other.execute("SELECT 1 FROM run FOR UPDATE")
            writing = asyncio.create_task(store.write(BATCH))
            while not await blocked(url):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            await terminate_others_but(url, other.info.backend_pid)
            await other.rollback()
        await writing
        assert await counted(store) == len(BATCH)


async def blocked(url: str) -> bool:
    async with await psycopg.AsyncConnection.connect(url) as connection:
        found = await connection.execute(
            "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return await found.fetchone() is not None


async def terminate_others_but(url: str, spared: int) -> None:
    async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        await connection.execute(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid NOT IN (pg_backend_pid(), %s)",
            (spared,),
        )


async def test_a_writer_that_stands_in_the_way_for_too_long_is_a_transient_error(postgres_url: str) -> None:
    url = empty_postgres(postgres_url)
    async with opened(url, PATIENCE_S) as store:
        await store.write(BATCH)
    async with opened(url, 2.0) as store, await psycopg.AsyncConnection.connect(url) as other:
        await other.execute("SELECT 1 FROM run FOR UPDATE")
        with pytest.raises(TransientError):
            await store.write(BATCH)
        await other.rollback()


async def test_who_gives_up_waiting_takes_the_call_with_it(postgres_url: str) -> None:
    """The one thread that writes is free for the next batch at once."""
    url = empty_postgres(postgres_url)
    async with opened(url, PATIENCE_S) as store:
        await store.write(BATCH)
        async with await psycopg.AsyncConnection.connect(url) as other:
            await other.execute("SELECT 1 FROM run FOR UPDATE")
            writing = asyncio.create_task(store.write(BATCH))
            while not await blocked(url):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
            writing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await writing
            await store.ping()
            await other.rollback()


async def test_a_database_that_is_not_there_or_not_ours_may_come_yet(postgres_url: str) -> None:
    place = postgres_url.rpartition("/")[0]
    for nobody in (f"{place}/no_such_database", "postgresql://nobody@127.0.0.1:1/none"):
        store = SqlLineageStore(nobody, deadline_s=PATIENCE_S)
        with pytest.raises(TransientError, match="store sql"):
            await store.open()
        await store.close()


async def test_tables_that_somebody_dropped_do_not_send_events_to_the_dead_letters(postgres_database: str) -> None:
    async with opened(postgres_database, PATIENCE_S) as store:
        async with await psycopg.AsyncConnection.connect(postgres_database, autocommit=True) as connection:
            await connection.execute("ALTER TABLE facet RENAME TO gone")
            with pytest.raises(TransientError, match="42P01"):
                await store.write(BATCH)
            await connection.execute("ALTER TABLE gone RENAME TO facet")
        await store.write(BATCH)


async def test_data_that_the_server_will_never_take_is_refused_for_good(postgres_database: str) -> None:
    """No such event gets this far; should one do, it must not hold the others up for ever."""
    async with opened(postgres_database, PATIENCE_S) as store:
        good = BATCH[0]
        nul = good._replace(event=good.event._replace(kind="ru\0n"))
        surrogate = good._replace(event=good.event._replace(kind="ru\ud800n"))
        for bad in (nul, surrogate):
            with pytest.raises(PermanentError, match="store sql"):
                await store.write([bad])
        await store.write([good])
