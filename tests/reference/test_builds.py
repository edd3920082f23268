"""Wants, job runs and instances of random builds equal the model, in any order, with duplicates, on every engine."""

from __future__ import annotations

import asyncio
import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.collector.questions import Questions
from headwater.shared.codec import decode
from headwater.shared.event import Name
from tests.support.orders import cut, shuffled, with_duplicates
from tests.support.seeds import FULL, SEED, rng
from tests.support.worlds import ENGINES, LOCAL, SERVERS, Engine

from .builds import PARTITIONS, Builder, BuildModel


async def hold(source: random.Random, mixer: random.Random, engine: Engine) -> None:
    raw = list(dict.fromkeys(json.dumps(event).encode() for event in Builder(source).build()))
    model = BuildModel([(decode(one).event_id, json.loads(one)) for one in raw])
    async with engine() as world:
        await world.take(cut(with_duplicates(shuffled(raw, mixer), mixer, 0.3), mixer, 8))
        try:
            await wants_hold(world.questions, model)
            await job_runs_hold(world.questions, model)
            await instances_hold(world.questions, model)
        except AssertionError as wrong:
            wrong.add_note(f"HEADWATER_SEED={SEED}\n" + "\n".join(sorted(one.decode() for one in raw)))
            raise


async def wants_hold(questions: Questions, model: BuildModel) -> None:
    for want in model.wants():
        found = await questions.want(want, depth=1, limit=mixed_limit(want))
        assert found is not None, want
        whole = await all_pages(questions, want)
        partitions, comment = model.said.get(want, (set(), None))
        assert found["comment"] == comment
        assert {each["name"] for each in whole["partitions"]} == partitions
        groups = [[run["runId"] for run in each["attempts"]["items"]] for each in whole["jobRuns"]]
        assert {frozenset(group) for group in groups} == model.runs_of(want)
        assert len(groups) == len(model.runs_of(want)), "an entry is on two pages"
        assert found["jobRuns"]["total"] == sum(map(len, model.runs_of(want)))
        for each in whole["jobRuns"]:
            for run in each["attempts"]["items"]:
                assert run["status"] == (["New", *model.history(run["runId"])])[-1]
        assert {each["id"] for each in whole["derivativeWants"]} == model.derived(want)
        assert found["derivativeWants"]["total"] == len(model.derived(want))
        assert {each["runId"] for each in whole["spawnedBy"]} == {r for w, r in model.spawned if w == want}
        for each in whole["partitions"]:
            current = model.current(each["name"])
            if current is None:
                assert each["instance"] is None
            elif (want, current) in model.serves:
                assert each["instance"]["runId"] == current
                assert each["instance"]["forThisWant"]
    assert await questions.want("nobody") is None


def mixed_limit(want: str) -> int:
    return 1 + sum(map(ord, want)) % 3


async def all_pages(questions: Questions, want: str) -> dict[str, list[dict[str, Any]]]:
    """Every list of the want, walked page by page with a small limit; attempts are looked up with a large one."""
    whole = await questions.want(want, depth=0, limit=100)
    assert whole is not None
    found: dict[str, list[dict[str, Any]]] = {}
    for name in ("partitions", "jobRuns", "derivativeWants", "spawnedBy"):
        items: list[dict[str, Any]] = []
        after, rounds = None, 0
        while after is not None or rounds == 0:
            page = await questions.want(want, depth=0, limit=mixed_limit(want + name), after=after)
            assert page is not None
            items += page[name]["items"]
            after, rounds = page[name]["next"], rounds + 1
            assert rounds < 50
        assert len(items) == len(whole[name]["items"])
        found[name] = whole[name]["items"] if name == "jobRuns" else items  # those of a short page are cut
    return found


async def job_runs_hold(questions: Questions, model: BuildModel) -> None:
    for run in model.first:
        found = await questions.job_run(run)
        assert found is not None, run
        assert [each["status"] for each in found["history"]] == model.history(run)
        assert {each["id"] for each in found["wants"]["items"]} == {w for w, r in model.serves if r == run}
        assert {each["id"] for each in found["derivativeWants"]["items"]} == {w for w, r in model.spawned if r == run}
        assert {each["name"] for each in found["missing"]["items"]} == model.missing.get(run, set())
        read = {each["dataset"]["name"]: each["version"] for each in found["read"]["items"]}
        assert read == {name: made and f"~{made}" for name, made in model.read(run).items()}
        assert all((each["uuid"] is None) is (each["version"] is None) for each in found["read"]["items"])
        assert {each["dataset"]["name"] for each in found["wrote"]["items"]} == model.writes[run]


async def instances_hold(questions: Questions, model: BuildModel) -> None:
    for partition in PARTITIONS:
        found = await questions.instance(Name("db", partition), limit=2)
        current = model.current(partition)
        assert (found["built_by"] and found["built_by"]["runId"]) == current, partition
        consumers: set[str] = set()
        after, rounds = None, 0
        while after is not None or rounds == 0:
            page = (await questions.instance(Name("db", partition), limit=2, after=after))["downstream"]
            fresh = [each["runId"] for each in page["items"]]
            assert consumers.isdisjoint(fresh), "a reader is on two pages"
            consumers |= set(fresh)
            after, rounds = page["next"], rounds + 1
            assert rounds < 50
        # Whoever succeeded has settled what it read; of the others only those count that could have.
        settled = {run for run in model.first if current and model.read(run).get(partition) == current}
        assert settled == {run for run in consumers if model.committed(run)}, partition


@pytest.mark.parametrize("engine", LOCAL)
@given(source=st.randoms(use_true_random=False), mixing=st.integers(0, 2**32))
@settings(max_examples=60)
def test_small_builds_equal_the_model(engine: str, source: random.Random, mixing: int) -> None:
    asyncio.run(hold(source, random.Random(mixing), ENGINES[engine]))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("number", range(25))
async def test_builds_equal_the_model(engine: str, number: int) -> None:
    if engine in SERVERS and number >= 3 and not FULL:
        pytest.skip("a few on servers; all with HEADWATER_FULL=1")
    source = rng("build", number)
    await hold(source, source, ENGINES[engine])
