"""Retention: what is old goes, and nothing that the evidence of a kept generation depends on."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import AsyncIterator
from typing import Any

import pytest

from headwater.collector.audit.sealing import Sealer, append_removal
from headwater.collector.audit.verifying import Verifier
from headwater.collector.retention.policy import Policy, parse_age
from headwater.collector.stores.sql import SqlLineageStore
from headwater.collector.testing.reference.histories import Historian
from headwater.shared.clock import SystemClock
from headwater.shared.event import Name
from tests.evidence.story import REVENUE, facet, mention, run_id
from tests.support.seeds import SEED, rng
from tests.support.worlds import ENGINES, World, sqlite_world

from .passes import WHOLE, documents, plain, retain, run_ids


@pytest.fixture(params=WHOLE)
async def world(request: pytest.FixtureRequest) -> AsyncIterator[World]:
    async with ENGINES[request.param]() as made:
        yield made


def event(run: str, kind: str, day: str, job: str, **more: Any) -> bytes:
    return json.dumps(
        {
            "eventType": kind,
            "eventTime": f"2026-{day}T02:00:00Z",
            "producer": "https://example.org/tests",
            "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
            "run": {"runId": run_id(run), "facets": more.get("facets", {})},
            "job": {"namespace": "jobs", "name": job},
            "inputs": more.get("inputs", []),
            "outputs": more.get("outputs", []),
        }
    ).encode()


def attempt(key: str) -> dict[str, Any]:
    return {"headwater_attempt": facet(logicalKey=key)}


def story() -> list[bytes]:
    """A rates table that was loaded once, long ago, and is read ever since; orders that are loaded each month."""
    parent = {"parent": facet(run={"runId": run_id("flow")}, job={"namespace": "jobs", "name": "flow"})}
    rows = {"outputFacets": {"outputStatistics": facet(rowCount=1)}}
    return [
        event("flow", "START", "01-01", "flow"),
        event("flow", "COMPLETE", "01-02", "flow"),
        event("rates failed", "FAIL", "01-01", "rates", outputs=[mention("rates@0")], facets=attempt("rates")),
        event("rates", "COMPLETE", "01-02", "rates", outputs=[mention("rates@1")], facets=attempt("rates") | parent),
        event("orders 1", "COMPLETE", "01-03", "orders", outputs=[{**mention("orders@1"), **rows}]),
        event("revenue 1", "COMPLETE", "01-04", "revenue", inputs=[mention("orders@1"), mention("rates")],
              outputs=[mention("revenue@1")]),
        event("never ended", "START", "01-05", "stream"),
        event("orders 2", "COMPLETE", "06-03", "orders", outputs=[{**mention("orders@2"), **rows}]),
        event("revenue 2", "COMPLETE", "06-04", "revenue", inputs=[mention("orders@2"), mention("rates")],
              outputs=[mention("revenue@2")]),
    ]  # fmt: skip


async def test_what_is_old_goes_and_evidence_stays(world: World) -> None:
    await world.take([story()])
    before = plain(await world.questions.evidence(REVENUE, depth=10))
    logical = await world.questions.logical_run("rates")
    dry = await retain(world, dry_run=True, runs="2026-05-01")
    assert len(await documents(world)) == len(story())
    done = await retain(world, runs="2026-05-01")
    assert (dry.runs, dry.documents, dry.kept) == (done.runs, done.documents, done.kept)
    assert (done.runs, done.documents) == (2, 2)
    assert done.kept["runs"] == {"recent": 3, "current": 1, "evidence": 2, "old": 2}
    kept = {run_id(each) for each in ("flow", "rates failed", "rates", "never ended", "orders 2", "revenue 2")}
    assert await run_ids(world) == kept
    assert plain(await world.questions.evidence(REVENUE, depth=10)) == before
    assert await world.questions.logical_run("rates") == logical, "attempts are numbered as they were"
    assert (await world.questions.evidence(REVENUE, "1"))["status"] == "unknown"
    assert await world.questions.run(run_id("orders 1")) is None
    again = await retain(world, runs="2026-05-01")
    assert (again.runs, again.documents) == (0, 0)


async def test_documents_may_go_before_their_runs(world: World) -> None:
    await world.take([story()])
    evidence = await world.questions.evidence(REVENUE, "1")
    done = await retain(world, documents="2026-05-01")
    assert (done.runs, done.documents) == (0, 2)
    assert len(await documents(world)) == len(story()) - 2
    assert await world.questions.evidence(REVENUE, "1") == evidence


async def test_statistics_go_and_evidence_stays(world: World) -> None:
    await world.take([story()])

    async def counted(run: str) -> bool:
        found = await world.questions.run(run_id(run))
        assert found is not None
        return any("outputStatistics" in each["facets"] for each in found["datasetFacets"])

    before = await world.questions.evidence(REVENUE, depth=10)
    assert await counted("orders 1")
    assert (await retain(world, statistics="2026-05-01")).statistics == 1
    assert (await counted("orders 1"), await counted("orders 2")) == (False, True)
    assert await world.questions.evidence(REVENUE, depth=10) == before


async def test_a_pass_is_bounded_and_goes_on(world: World) -> None:
    await world.take([story()])
    first = await retain(world, runs="2026-05-01", max_runs=1)
    assert (first.runs, first.cut_off) == (1, True)
    second = await retain(world, runs="2026-05-01", max_runs=1)
    assert (second.runs, second.cut_off) == (1, False)


async def refolded(world: World) -> dict[str, bytes]:
    return await documents(world)


@pytest.mark.parametrize("engine", WHOLE)
@pytest.mark.parametrize("number", range(12))
async def test_of_random_histories_all_kept_evidence_stays(engine: str, number: int) -> None:
    """And a graph made anew from the documents that are left says the same."""
    if engine != "sqlite" and number >= 2:
        pytest.skip("a few on servers")
    source = rng("retention", number)
    raw = [json.dumps(each).encode() for each in Historian(source, runs=10).history()]
    async with ENGINES[engine]() as world:
        await world.take([raw])
        before = await answers(world)
        await retain(world, runs="2026-01-20")
        left = await run_ids(world)
        after = await answers(world)
        async with sqlite_world() as anew:
            await anew.take([list((await documents(world)).values())])
            made_anew = await answers(anew)
    for generation, evidence in before.items():
        makers = {evidence["run"]["runId"]} if evidence["run"] else set(evidence["conflict"])
        if makers & left and evidence["committed recently"]:
            told = f"{generation}, HEADWATER_SEED={SEED}"
            assert after[generation] == evidence, told
            assert made_anew[generation] == evidence, told


async def answers(world: World) -> dict[tuple[Name, str], dict[str, Any]]:
    """The evidence of every committed generation, whole."""
    found = {}
    for name in {Name("db", each) for each in ("a", "b", "c", "d", "e", "old", "new")}:
        dataset = await world.questions.dataset(name)
        for version in {each["version"] for each in (dataset or {"committed": []})["committed"]}:
            answer = plain(await world.questions.evidence(name, version, depth=10))
            recent = answer["current"] or (answer["committedAt"] or "") >= "2026-01-20"
            found[Name(**answer["dataset"]), version] = answer | {"committed recently": recent}
    return found


async def test_seals_say_what_was_taken_away() -> None:
    async with sqlite_world() as world:
        assert isinstance(world.store, SqlLineageStore)
        await world.take([story()])
        trail, ids = world.store.trail(), world.store.reader()
        await Sealer(trail, ids, grace_s=0).run()
        await retain(world, runs="2026-05-01")
        checked = await Verifier(trail, ids).run()
        assert (checked.intact, checked.events, checked.removed) == (True, len(story()), 2)
        seal = (await trail.seals(1, 10))[0]
        assert (seal.kind, seal.size) == ("removed", 2)
        assert seal.reason.startswith("runs older than ")


async def test_a_removal_that_was_broken_off_is_finished() -> None:
    async with sqlite_world() as world:
        assert isinstance(world.store, SqlLineageStore)
        await world.take([story()])
        trail, ids = world.store.trail(), world.store.reader()
        await Sealer(trail, ids, grace_s=0).run()
        some = sorted(await documents(world))[:3]
        await append_removal(trail, SystemClock(), some, "broken off before the events went")
        assert [each.kind for each in (await Verifier(trail, ids).run()).findings] == ["returned"] * 3
        await retain(world, statistics="2020-01-01")
        assert (await Verifier(trail, ids).run()).intact
        assert not set(some) & set(await documents(world))


async def test_values_that_nobody_says_any_more_go_on_sqlite() -> None:
    async with sqlite_world() as world:
        await world.take([story()])
        await retain(world, runs="2026-05-01", statistics="2026-07-01")
        path = world.store._backend.location  # type: ignore[attr-defined]
        with sqlite3.connect(path) as database:
            left = [row[0] for row in database.execute("SELECT value FROM facet_value")]
        database.close()
        assert left
        assert not any(b"rowCount" in each for each in left)


@pytest.mark.parametrize(("text", "days"), [("90d", 90), ("12h", 0.5), ("8w", 56), ("2y", 730)])
def test_ages(text: str, days: float) -> None:
    assert parse_age(text) == days * 86_400


@pytest.mark.parametrize("text", ["", "0d", "90", "d", "-1d", "1.5d", "90 days", "9999999d"])
def test_what_is_no_age(text: str) -> None:
    with pytest.raises(ValueError, match="for example 90d"):
        parse_age(text)


def test_documents_are_not_kept_longer_than_runs() -> None:
    with pytest.raises(ValueError, match="longer"):
        Policy(runs=1, documents=2)
