"""How rows come from PostgreSQL: statements prepared once, several in one trip, by index whatever the history."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.engine import Connection, Engine, make_url
from tests.support.events import good_event
from tests.support.server_stores import empty_postgres, postgres_store
from tests.support.worlds import World

from headwater.collector.questions import Questions
from headwater.collector.stores.reading import Claim, PinQuery, Reader
from headwater.collector.stores.sql import read_generations
from headwater.collector.stores.sql.arrays import ByteaArray, LongArray, TextArray
from headwater.collector.stores.sql.asking import answers, look_up, looks_up
from headwater.collector.stores.sql.backends.guard import Guard
from headwater.collector.stores.sql.backends.postgres.backend import PostgresBackend
from headwater.shared.event import Name

pytestmark = pytest.mark.servers
NO_RUN = "00000000-0000-4000-8000-000000000000"
Ask = Callable[[Callable[[Connection], Any]], Any]


@pytest.fixture
def backend(postgres_url: str) -> PostgresBackend:
    return PostgresBackend(make_url(empty_postgres(postgres_url)), name="test", deadline_s=60.0)


@pytest.fixture
def engine(backend: PostgresBackend) -> Iterator[Engine]:
    made = backend.engine(writing=False)
    yield made
    made.dispose()


@pytest.fixture
def ask(backend: PostgresBackend, engine: Engine) -> Ask:
    """Runs work in a transaction, as the store does; the same connection serves each time."""
    return lambda work: backend.run(engine, work, Guard())


VALUES: dict[str, tuple[str, Any, Any]] = {
    "text": ("%s::text", "naïve ☃ %s $1", "naïve ☃ %s $1"),
    "empty text": ("%s::text", "", ""),
    "bytes": ("%s::bytea", b"\0\xff'\\", b"\0\xff'\\"),
    "whole number": ("%s::bigint", -(2**63), -(2**63)),
    "as a smaller one": ("%s::smallint", 7, 7),
    "true": ("%s::boolean", True, True),
    "null": ("%s::text", None, None),
    "keys": ("(%s::bytea[])[2]", ByteaArray([b"a", b"\0"]), b"\0"),
    "texts": ("(%s::text[])[1]", TextArray(["%s"]), "%s"),
    "numbers": ("(%s::bigint[])[2]", LongArray([1, 2**40]), 2**40),
    "a percent sign": ("'%%s' || %s", "!", "%s!"),
}


@pytest.mark.parametrize("what", VALUES)
def test_values_come_back_as_they_went(ask: Ask, what: str) -> None:
    expression, given, expected = VALUES[what]
    for _ in range(2):  # prepared, then used again
        assert ask(lambda connection: answers(connection, (f"SELECT {expression}", [given]))) == [[(expected,)]]


def test_each_statement_has_its_rows_in_one_transaction(ask: Ask) -> None:
    def work(connection: Connection) -> Any:
        begun = answers(
            connection,
            ("SELECT n FROM generate_series(1, %s) AS n", [3]),
            ("SET LOCAL enable_sort = off", ()),
            ("SELECT 1 WHERE false", ()),
            ("SELECT now()", ()),
        )
        return begun, answers(connection, ("SELECT now()", ())), connection.execute(text("SELECT now()")).scalar()

    (numbers, nothing, none, [began]), [[again]], by_psycopg = ask(work)
    assert (numbers, nothing, none) == ([(1,), (2,), (3,)], [], [])
    assert began == again == (by_psycopg,)


def test_more_than_the_buffers_hold_goes_both_ways(ask: Ask) -> None:
    keys = [number.to_bytes(16, "big") for number in range(200_000)]
    echo = ("SELECT unnest(%s::bytea[])", [ByteaArray(keys)])
    for rows in ask(lambda connection: answers(connection, echo, echo)):
        assert [row[0] for row in rows] == keys


def test_a_statement_that_fails_is_an_error_and_the_connection_serves_on(ask: Ask) -> None:
    with pytest.raises(psycopg.errors.DivisionByZero):
        ask(lambda connection: answers(connection, ("SELECT 1 / %s", [0]), ("SELECT 3", ())))
    assert ask(lambda connection: answers(connection, ("SELECT 1", ()))) == [[(1,)]]


def test_looking_up_ends_with_the_transaction(ask: Ask) -> None:
    setting = ("SELECT current_setting('enable_seqscan')", ())
    assert ask(lambda connection: (look_up(connection, setting), looks_up(connection))) == ([[("off",)]], True)
    assert ask(lambda connection: (answers(connection, setting), looks_up(connection))) == ([[("on",)]], False)


HISTORY, OTHERS = 300, 300
DATASET = Name("db", "out-0")


@pytest.mark.parametrize("read", ["current", "history", "next_commit"])
async def test_the_first_of_a_long_history_are_found_without_the_rest(
    backend: PostgresBackend, engine: Engine, ask: Ask, read: str
) -> None:
    """Most datasets have one generation: a server takes each for one row, and would read and sort all that it finds."""
    async with postgres_store() as store:
        jobs = [0] * HISTORY + list(range(1, OTHERS + 1))
        raw = [good_event(number, job, eventTime=_time(number)) for number, job in enumerate(jobs)]
        await World(store, Questions(store.reader())).take([raw])
    with psycopg.connect(backend.location) as connection:
        connection.execute("ANALYZE generation")
    reads: dict[str, Callable[[Connection], Any]] = {
        "current": lambda connection: read_generations.current(connection, [PinQuery((DATASET,), None, None)]),
        "history": lambda connection: read_generations.history(connection, [DATASET], True, 1, None),
        "next_commit": lambda connection: [
            read_generations.next_commit(connection, [DATASET], (_time(0), "\U0010ffff"), NO_RUN)
        ],
    }

    def work(connection: Connection) -> tuple[list[Claim], int]:
        look_up(connection)
        found = reads[read](connection)
        count = text("SELECT idx_tup_fetch FROM pg_stat_xact_user_tables WHERE relname = 'generation'")
        return found, connection.execute(count).scalar_one()

    [claim], fetched = ask(work)
    assert claim.commit_time == _time(1 if read == "next_commit" else HISTORY - 1)
    assert fetched < HISTORY / 5


def _time(number: int) -> str:
    return f"2026-01-01T00:{number // 60:02}:{number % 60:02}.000000000Z"


async def test_what_is_read_ahead_is_what_would_be_read() -> None:
    """Runs bring their claims, datasets their drops: asked for in any order and spelling they are the same."""
    gone = {
        "lifecycleStateChange": {"_producer": "https://p", "_schemaURL": "https://s", "lifecycleStateChange": "DROP"}
    }
    raw = [
        good_event(1, 1),
        good_event(2, 2, outputs=[{"namespace": "db", "name": "out-1", "facets": gone}]),
        good_event(3, 3, outputs=[{"namespace": "db", "name": f"out-{n}"} for n in (3, 4)]),
    ]
    raw += [good_event(number, number, eventType="START") for number in (5, 6)]
    runs = [f"00000000-0000-7000-8000-{number:012x}" for number in (1, 2, 3, 0xABC)]
    names = [Name("db", f"out-{number}") for number in (1, 3, 5)]
    async with postgres_store() as store:
        await World(store, Questions(store.reader())).take([raw])
        reader = store.reader()
        claims, drops = await reader.claims_of_runs(runs), await reader.drops(names)
        unpublished = await reader.unpublished(names)
        facts, datasets = await reader.runs(runs), await reader.datasets(names)

        async def ahead(view: Reader) -> None:
            assert await view.runs([run.upper() for run in runs]) == facts
            assert await view.datasets(names) == datasets
            for asked in (runs, [run.upper() for run in runs]):
                assert sorted(await view.claims_of_runs(asked)) == sorted(claims)
            assert await view.drops(names) == drops
            assert await view.drops([*names, Name("db", "out-4")]) == drops
            assert await view.unpublished(names) == unpublished
            assert await view.unpublished([*names, Name("db", "out-6")]) == {*unpublished, Name("db", "out-6")}

        await reader.whole(ahead)
    assert {claim.run for claim in claims} == {runs[0], runs[2]}
    assert unpublished == {names[2]}
    assert [drop.dataset for drop in drops] == names[:1]
