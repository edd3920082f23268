"""A search finds what reading every name would find, whichever of its indexes answers it."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.events import good_event
from tests.support.seeds import rng
from tests.support.server_stores import PATIENCE_S, empty_postgres
from tests.support.servers import needed
from tests.support.worlds import projected

from headwater.collector.stores.reading import MAX_MATCHES, Hit, Search
from headwater.collector.stores.sql import SqlLineageStore
from headwater.collector.stores.sql.parts import AFTER, INDEXED_CHARS, PART_CHARS, parts, probes
from headwater.shared.event import Name

TIME = "2026-01-01T00:00:00.000000000Z"
ALIKE = 1_200
"""Names with one part: more than are looked at one by one."""
PIECES = ("orders", "Day", "x1", "ÜNÏ", "a", "7", "é", "表", ".", "_", "/", "-", " ", "__", "%", "'", "\\", "!")


def texts() -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(PIECES), min_size=1, max_size=30).map("".join)


@given(before=texts(), text=texts(), after=texts())
def test_a_name_that_holds_a_text_has_each_of_its_probes(before: str, text: str, after: str) -> None:
    known = parts(before + text + after)
    for probe in probes(text):
        assert any(probe <= part < probe + AFTER for part in known)


def test_parts_begin_at_words() -> None:
    assert parts("orders.daily_x1") == ["daily_x1", "x1"]
    assert parts("--a..a/é") == ["a..a/é", "a/é", "é"]
    assert parts("nothing") == parts("") == parts("trailing.") == []
    assert parts("é表") == [], "what is no ASCII is of its word, whatever Unicode says of it"
    long = "a" + ".b" * INDEXED_CHARS
    assert {part for part in parts(long) if len(part) == PART_CHARS} == {"b." * (PART_CHARS // 2)}
    assert len(parts(long)) == PART_CHARS // 2, "each once"
    assert [*probes("s.daily")] == ["daily"]
    assert [*probes("daily")] == []
    assert [len(probe) for probe in probes(long[:100])] == [PART_CHARS] * 8


async def store_on_sqlite(path: Path) -> SqlLineageStore:
    store = SqlLineageStore(f"sqlite:///{path / 'h.db'}")
    await store.open()
    return store


async def store_on_postgres(extension: bool) -> SqlLineageStore:
    url = empty_postgres(needed("postgres"))
    with psycopg.connect(url) as connection:
        if extension:
            connection.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
        else:
            connection.execute("DROP EXTENSION IF EXISTS pg_trgm CASCADE")
    store = SqlLineageStore(url, deadline_s=PATIENCE_S)
    await store.open()
    return store


@asynccontextmanager
async def opened(engine: str, path: Path) -> AsyncIterator[SqlLineageStore]:
    store = await (store_on_sqlite(path) if engine == "sqlite" else store_on_postgres(engine.endswith("trigrams")))
    try:
        yield store
    finally:
        await store.close()


def events(jobs: list[str], datasets: list[str]) -> Iterator[bytes]:
    for number, job in enumerate(jobs):
        ours = [{"namespace": "db", "name": name} for name in datasets[number :: len(jobs)]]
        yield good_event(number, number, job={"namespace": "jobs", "name": job}, outputs=ours)


def expected(where: Search, jobs: list[str], datasets: list[str]) -> list[Hit]:
    found = [Hit("job", Name("jobs", name), TIME) for name in jobs if "job" in where.kinds]
    found += [Hit("dataset", Name("db", name), TIME) for name in datasets if "dataset" in where.kinds]
    held = [hit for hit in found if where.text.casefold() in hit.name.name.casefold()]
    return sorted(held, key=lambda hit: (hit.name.name.casefold(), hit.name, hit.kind))


@pytest.mark.parametrize(
    "engine",
    ["sqlite", *(pytest.param(each, marks=pytest.mark.servers) for each in ("postgres", "postgres with trigrams"))],
)
async def test_all_that_hold_it_and_nothing_else(engine: str, tmp_path: Path) -> None:
    chosen = rng("search", 0)
    jobs, datasets = (sorted({_name(chosen) for _ in range(60)}) for _ in range(2))
    datasets = sorted({*datasets, *(f"{number:04}_daily" for number in range(ALIKE)), "good_daily", "bad.good_daily"})
    async with opened(engine, tmp_path) as store:
        await store.write([projected(raw) for raw in events(jobs, datasets)])
        reader = store.reader()
        for text in (
            "d_daily",
            "D.good",
            "1_da",
            "77_daily",
            "bad.",
            "_",
            "good_daily.",
            *_within(chosen, jobs, datasets),
        ):
            for kinds in (("job", "dataset"), ("job",), ("dataset",)):
                where = Search(text, kinds)  # type: ignore[arg-type]
                held = expected(where, jobs, datasets)
                total, page = await reader.search(where, 7, 0)
                if len(held) < MAX_MATCHES:
                    assert (total, page) == (len(held), held[:7]), where
                    assert (await reader.search(where, 5, 3))[1] == held[3:8], where
                else:
                    assert total == MAX_MATCHES, where
                    assert set(page) <= set(held), where
        assert await reader.search(Search("daily", namespace="jobs"), 5, 0) == (
            len(expected(Search("daily", ("job",)), jobs, [])), expected(Search("daily", ("job",)), jobs, [])[:5]
        )  # fmt: skip
        assert await reader.search(Search("good_daily", since=TIME), 5, 9) == (2, []), "a page behind the last"
        assert (await reader.search(Search("good_daily", before=TIME), 5, 0))[0] == 0


def _name(chosen: random.Random) -> str:
    return "".join(chosen.choice(PIECES) for _ in range(chosen.randrange(2, 12))) + "n"


def _within(chosen: random.Random, *lists: list[str]) -> Iterator[str]:
    for names in lists:
        for name in chosen.sample(names, 20):
            begin = chosen.randrange(len(name))
            yield name[begin : begin + chosen.randrange(1, 12)]


async def test_parts_are_kept_once_for_each_name(tmp_path: Path) -> None:
    store = await store_on_sqlite(tmp_path)
    for _ in range(2):
        await store.write([projected(raw) for raw in events(["load.orders"], ["raw.orders", "orders"])])
    await store.close()
    with sqlite3.connect(tmp_path / "h.db") as connection:
        assert connection.execute("SELECT part FROM search_part").fetchall() == [("orders",), ("orders",)]
