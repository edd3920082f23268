"""Promise 5: what an ingest answers as STORED can be read at once, whoever else is sending, and after a kill too."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest

from headwater.collector.embedded import Embedded
from headwater.collector.pipeline import Outcome, Pipeline
from headwater.collector.policy import BatchPolicy, RetryPolicy
from headwater.collector.questions import Questions
from headwater.collector.settings import Settings
from headwater.collector.stores import CompositeLineageStore, ProjectedEvent
from headwater.collector.stores.reading import EventFilter
from headwater.collector.stores.sql import SqlLineageStore
from headwater.shared.codec import decode
from headwater.shared.errors import TransientError
from headwater.shared.event import Name
from headwater.shared.log import Record
from headwater.shared.log.local import LocalLog
from headwater.shared.names import DEFAULT_TOPIC
from tests.support.collector import collector
from tests.support.seeds import FULL, SEED, rng

from .events import of_sender
from .processes import Child

BATCH = 1_500
ROUNDS, KILLS = (20, 100) if FULL else (2, 3)


async def missing(questions: Questions, sender: str, events: Sequence[bytes]) -> int:
    """How many of them cannot be read."""
    _, found = await questions.events(EventFilter(job=Name("senders", sender)), limit=10_000)
    return len({decode(event).event_id for event in events} - {document.event_id for document in found})


class Crowd:
    """Senders of batches and of single events, all at once. ``ingest`` returns the outcomes."""

    def __init__(self, ingest: Any, questions: Questions, source: random.Random) -> None:
        self._ingest, self._questions, self._source = ingest, questions, source
        self.outcomes: list[Outcome] = []

    async def rounds(self, count: int) -> None:
        for number in range(count):
            sizes = [BATCH, BATCH + self._source.randint(-600, 600), self._source.randint(2, 400), *[1] * 6]
            async with asyncio.TaskGroup() as group:
                for at, size in enumerate(sizes):
                    group.create_task(self._send(f"{number}-{at}", of_sender(f"{number}-{at}", size)))

    async def _send(self, sender: str, events: list[bytes]) -> None:
        await asyncio.sleep(self._source.uniform(0, 0.1))
        outcomes = await self._ingest(events)
        self.outcomes += outcomes
        stored = [event for event, outcome in zip(events, outcomes, strict=True) if outcome is Outcome.STORED]
        lost = await missing(self._questions, sender, stored)
        assert lost == 0, f"HEADWATER_SEED={SEED}: {lost} of {len(stored)} stored events of {sender} cannot be read"


@pytest.mark.parametrize("ahead", [False, True], ids=["in turn", "prepared ahead"])
async def test_many_senders(tmp_path: Path, ahead: bool) -> None:
    settings = Settings.model_validate({"lineage": {"collector": {"prepare_ahead": ahead}}})
    async with Embedded(tmp_path, settings=settings) as embedded:

        async def ingest(events: list[bytes]) -> list[Outcome]:
            return [settlement.outcome for settlement in await embedded.ingest(events, timeout_s=60)]

        crowd = Crowd(ingest, embedded.questions, rng("many senders", ahead))
        await crowd.rounds(ROUNDS)
        assert set(crowd.outcomes) == {Outcome.STORED}


class MoodyStore(SqlLineageStore):
    """Fails every third write or so: before it begins, or when all is written and nobody will hear of it."""

    def __init__(self, url: str, source: random.Random) -> None:
        super().__init__(url)
        self._source = source

    async def write(self, batch: Sequence[ProjectedEvent]) -> None:
        mood = self._source.random()
        if mood < 0.2:
            raise TransientError("not now")
        await super().write(batch)
        if mood > 0.9:
            raise TransientError("written, but not said")


@pytest.mark.parametrize("ahead", [False, True], ids=["in turn", "prepared ahead"])
async def test_many_senders_and_a_moody_store(tmp_path: Path, ahead: bool) -> None:
    source = rng("moody store", ahead)
    store = MoodyStore(f"sqlite:///{tmp_path}/headwater.db", source)
    stores, log = CompositeLineageStore([store]), LocalLog(tmp_path / "log")
    retry = RetryPolicy(tries=2, backoff_s=0.001, max_backoff_s=0.002, ladder_s=(0.01,), max_attempts=100)
    batches = BatchPolicy(max_records=197, prepare_ahead=ahead)
    pipeline = Pipeline(log, stores, retry=retry, batches=batches, random=source)
    await stores.open()
    await pipeline.start()

    async def ingest(events: list[bytes]) -> list[Outcome]:
        offsets = await log.append(DEFAULT_TOPIC, [Record(event) for event in events])
        return [settlement.outcome for settlement in await pipeline.wait_settled(offsets, timeout_s=60)]

    crowd = Crowd(ingest, Questions(store.reader()), source)
    await crowd.rounds(ROUNDS)
    await pipeline.stop()
    await log.close()
    await stores.close()
    assert set(crowd.outcomes) <= {Outcome.STORED, Outcome.RETRY}
    assert Outcome.STORED in crowd.outcomes


async def test_batches_over_http(tmp_path: Path) -> None:
    """The API says ``pending`` for what is not stored yet; all else counts at once."""
    with collector(tmp_path / "data") as url:
        async with httpx.AsyncClient(base_url=url, timeout=60) as client:

            async def post(sender: str, size: int) -> None:
                body = b"[" + b",".join(of_sender(sender, size)) + b"]"
                answer = await client.post("/api/v1/lineage/batch", content=body)
                assert answer.json()["summary"] == {
                    "received": size, "successful": size, "failed": 0, "retriable": 0, "non_retriable": 0, "pending": 0,
                }  # fmt: skip

            total = 0
            for number in range(ROUNDS):
                sizes = [BATCH, 1, 700, 1]
                await asyncio.gather(*(post(f"{number}-{at}", size) for at, size in enumerate(sizes)))
                total += sum(sizes)
                assert (await client.get("/api/counts")).json()["events"] == total
                await post(f"{number}-alone", BATCH)
                total += BATCH
                assert (await client.get("/api/counts")).json()["events"] == total


async def test_stored_outlives_a_kill(tmp_path: Path) -> None:
    source = rng("killed while ingesting")
    told = 0
    for kill in range(KILLS):
        child = Child("tests.promises.ingesting", str(tmp_path), str(kill))
        child.wait_for_output()
        said = child.kill_after(source.uniform(0.0, 0.5)).split(b"\n")[:-1]
        store = SqlLineageStore(f"sqlite:///{tmp_path}/headwater.db", read_only=True)
        await store.open()
        for line in said:
            sender, size = line.decode().split()
            lost = await missing(Questions(store.reader()), sender, of_sender(sender, int(size)))
            assert lost == 0, f"HEADWATER_SEED={SEED}: {lost} of {size} stored events of {sender} cannot be read"
            told += int(size)
        await store.close()
    print(f"HEADWATER_SEED={SEED}: {KILLS} kills, {told} events told as stored")
    assert told >= KILLS
