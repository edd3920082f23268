"""Kept answers: which are kept, for how long, and that a store that cannot tell has none."""

from __future__ import annotations

from collections.abc import Collection
from typing import cast

import orjson
import pytest

from headwater.collector.api.remembered import RememberedAnswers
from headwater.collector.api.services import Json
from headwater.collector.stores.reading import Ask, JobFacts, Reader, Watch
from headwater.shared.event import Name

JOB = Name("jobs", "j")
TIME = "2026-01-01T00:00:00.000000000Z"


class Telling:
    """A store of one job that can tell whether it is as it was."""

    def __init__(self) -> None:
        self.state = 0
        self.asked = 0

    async def jobs(self, names: Collection[Name]) -> dict[Name, JobFacts]:
        self.asked += 1
        return {JOB: JobFacts(JOB, TIME, TIME, {"state": {"is": self.state}}, {}, False)}

    async def counts(self) -> dict[str, int]:
        self.asked += 1
        return {"jobs": 1}

    async def watch(self, jobs: Collection[Name], datasets: Collection[Name]) -> Watch:
        assert set(jobs) == {JOB}
        assert not datasets
        return Watch((b"j",), self.state)

    async def unchanged(self, watched: Watch) -> bool:
        return watched.stamps == self.state


class Silent(Telling):
    watch = None  # type: ignore[assignment]


def about(size: int = 0) -> Ask[Json]:
    async def ask(reader: Reader) -> Json:
        return {"jobs": (await reader.jobs([JOB]))[JOB].facets, "padding": "x" * size}

    return ask


async def answer(kept: RememberedAnswers, store: Telling, question: str = "q", ask: Ask[Json] | None = None) -> Json:
    found: Json = orjson.loads(await kept.asking(question, ask or about())(cast(Reader, store)))
    return found


async def test_an_answer_is_made_once_while_its_job_is_as_it_was() -> None:
    kept, store = RememberedAnswers(), Telling()
    assert await answer(kept, store) == await answer(kept, store)
    assert store.asked == 1


async def test_a_change_makes_it_anew_and_the_new_one_is_kept() -> None:
    kept, store = RememberedAnswers(), Telling()
    first = await answer(kept, store)
    store.state = 1
    second = await answer(kept, store)
    assert first["jobs"] == {"state": {"is": 0}}
    assert second["jobs"] == {"state": {"is": 1}}
    assert await answer(kept, store) == second
    assert store.asked == 2


async def test_each_question_has_its_own_answer() -> None:
    kept, store = RememberedAnswers(), Telling()
    assert (await answer(kept, store, "one", about(1)))["padding"] == "x"
    assert (await answer(kept, store, "two", about(2)))["padding"] == "xx"


async def test_what_depends_on_more_than_can_be_watched_is_not_kept() -> None:
    async def counting(reader: Reader) -> Json:
        return {"jobs": len(await reader.jobs([JOB])), **await reader.counts()}

    kept, store = RememberedAnswers(), Telling()
    for _ in range(2):
        await answer(kept, store, ask=counting)
    assert store.asked == 4


async def test_a_run_whose_job_is_unknown_cannot_be_watched() -> None:
    class Runs(Telling):
        async def claims_of_runs(self, runs: Collection[str]) -> list[object]:
            self.asked += 1
            return []

    async def ask(reader: Reader) -> Json:
        await reader.jobs([JOB])
        return {"claims": len(await reader.claims_of_runs(["a run"]))}

    kept, store = RememberedAnswers(), Runs()
    for _ in range(2):
        await answer(kept, store, ask=ask)
    assert store.asked == 4


async def test_a_store_that_cannot_tell_is_asked_each_time() -> None:
    kept, store = RememberedAnswers(), Silent()
    for _ in range(2):
        await answer(kept, store)
    assert store.asked == 2


async def test_a_question_that_fails_is_asked_again() -> None:
    async def failing(reader: Reader) -> Json:
        await reader.jobs([JOB])
        raise LookupError("nothing there")

    kept, store = RememberedAnswers(), Telling()
    for _ in range(2):
        with pytest.raises(LookupError):
            await answer(kept, store, ask=failing)
    assert store.asked == 2


async def test_the_answers_asked_for_last_stay() -> None:
    kept, store = RememberedAnswers(max_bytes=8_000), Telling()  # eight of them
    for question in ("old", "used long ago", "old", *"1234567"):
        await answer(kept, store, question, about(800))
    made = store.asked
    await answer(kept, store, "old", about(800))
    assert store.asked == made
    await answer(kept, store, "used long ago", about(800))
    assert store.asked == made + 1


async def test_one_that_takes_too_much_room_is_not_kept() -> None:
    kept, store = RememberedAnswers(max_bytes=1_000), Telling()
    for _ in range(2):
        await answer(kept, store, "large", about(5_000))
    assert store.asked == 2
    await answer(kept, store, "small")
    await answer(kept, store, "small")
    assert store.asked == 3
