"""Captured events of Airflow, dbt, Spark and others: MongoDB and Neo4j say of them what SQLite does."""

from __future__ import annotations

import pytest
from tests.corpus.files import COUNTS, entries
from tests.support.orders import cut, shuffled
from tests.support.seeds import rng
from tests.support.worlds import ENGINES, sqlite_world


@pytest.mark.servers
@pytest.mark.parametrize("file", COUNTS)
async def test_the_corpus_has_the_fingerprint_of_sqlite(file: str) -> None:
    raw, source = [entry.raw for entry in entries(file)], rng("corpus on servers", file)
    async with sqlite_world() as sqlite, ENGINES["mongo+neo4j"]() as servers:
        await sqlite.take([raw])
        await servers.take(cut(shuffled(raw, source), source, 200))
        assert await servers.questions.fingerprint() == await sqlite.questions.fingerprint()
        assert await servers.questions.counts() == await sqlite.questions.counts()
