"""The replay manifest on every store combination: what it says, that it keeps its schema, and how it is checked."""

from __future__ import annotations

import copy
import json
import sqlite3
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from headwater.collector.exports.checking import MalformedManifestError, check, parse_manifest
from headwater.collector.exports.differences import differences
from headwater.collector.exports.manifest import NotPublishedError, digest_of, manifest_of, schema
from headwater.collector.exports.statement import statement_of
from headwater.shared.event import Name
from tests.support.worlds import ENGINES, World, sqlite_world

from .story import COMMIT, ORDERS, REVENUE, event, facet, mention, run_id, story

WHOLE = [name for name in ENGINES if name != "neo4j"]
"""Combinations that have documents."""
VALIDATOR = jsonschema.Draft202012Validator(schema(), format_checker=jsonschema.FormatChecker())


async def made(world: World, generation: str | None = None) -> dict[str, Any]:
    await world.take([[raw] for raw in story()])
    return await manifest_of(world.questions, REVENUE, generation)


@pytest.mark.parametrize("engine", WHOLE)
async def test_it_tells_what_a_replay_needs(engine: str) -> None:
    async with ENGINES[engine]() as world:
        manifest = await made(world)
        VALIDATOR.validate(manifest)
        assert manifest["subject"]["generation"] == "rev-3"
        assert (manifest["run"]["runId"], manifest["run"]["attempt"]) == (run_id("retry"), 2)
        logical = manifest["logicalRun"]
        assert [(each["runId"], each["state"]) for each in logical["attempts"]] == [
            (run_id("failed"), "FAILED"),
            (run_id("retry"), "COMPLETED"),
        ]
        assert logical["winner"] == run_id("retry")
        assert {each["dataset"]["name"] for each in logical["changed"]} == {"orders", "rates", "elsewhere"}
        assert manifest["code"]["sourceCodeLocation"]["version"] == COMMIT
        assert manifest["code"]["sql"] == {"query": "select 1"}
        assert manifest["environment"] == {
            "engine": {"version": "3.11.9", "name": "python"},
            "variables": {"A": "1", "TZ": "UTC"},
        }
        assert manifest["parameters"]["execution"] == {"threshold": "0.5"}
        inputs = {each["dataset"]["name"]: each for each in manifest["inputs"]}
        assert (inputs["orders"]["generation"], inputs["orders"]["pin"]) == ("snap-2", "declared")
        assert inputs["orders"]["producedBy"] == run_id("load 2")
        assert inputs["orders"]["facets"]["position"] == {"offset": 7}
        assert "inputStatistics" not in inputs["orders"]["facets"], "sizes are no evidence"
        assert (inputs["rates"]["generation"], inputs["rates"]["pin"]) == ("~" + run_id("rates"), "inferred")
        assert (inputs["elsewhere"]["generation"], inputs["elsewhere"]["pin"]) == (None, "unknown")
        assert [each["type"] for each in manifest["events"]] == ["START", "COMPLETE"]
        assert (await check(world.questions, manifest)).holds
        async with sqlite_world() as other:
            assert manifest == await made(other), "the same events give the same manifest, whatever the store"


async def test_what_no_single_run_published_has_none() -> None:
    async with sqlite_world() as world:
        with pytest.raises(NotPublishedError, match="status candidate"):
            await made(world, "rev-2")
        with pytest.raises(NotPublishedError, match="status unknown"):
            await manifest_of(world.questions, Name("no", "such"))
        again = event("other", "COMPLETE", 20, "publish", outputs=[mention("revenue@rev-3")])
        await world.take([[json.dumps(again).encode()]])
        with pytest.raises(NotPublishedError, match=run_id("other")):
            await manifest_of(world.questions, REVENUE, "rev-3")


async def test_two_releases_are_told_apart() -> None:
    async with sqlite_world() as world:
        last = await made(world)
        first = await manifest_of(world.questions, REVENUE, "rev-1")
        found = {each.where: each for each in differences(first, last)}
        assert (found["code.sourceCodeLocation.version"].before, found["code.sourceCodeLocation.version"].after) == (
            *("f" * 40, COMMIT),
        )
        assert found["inputs[shop/eu/orders].generation"].after == "snap-2"
        assert found["inputs[shop/eu/rates]"].kind == "added"
        assert differences(last, last) == []
        assert digest_of(last) == digest_of(json.loads(json.dumps(last))) != digest_of(first)


async def test_a_manifest_that_says_something_else_does_not_hold() -> None:
    async with sqlite_world() as world:
        manifest = await made(world)
        forged = copy.deepcopy(manifest)
        forged["code"]["sourceCodeLocation"]["version"] = "e" * 40
        forged["events"][0]["id"] = "0" * 32
        done = await check(world.questions, forged)
        assert not done.holds
        assert "code.sourceCodeLocation.version" in {each.where for each in done.differences}
        assert done.missing == ["0" * 32]
        late = event("load 3", "COMPLETE", 4, "elsewhere", outputs=[mention("elsewhere")])
        await world.take([[json.dumps(late).encode()]])
        done = await check(world.questions, manifest)
        assert {each.where for each in done.differences} >= {"inputs[shop/eu/elsewhere].generation"}


async def test_an_event_altered_in_the_store_is_named() -> None:
    async with sqlite_world() as world:
        manifest = await made(world)
        victim = manifest["events"][0]["id"]
        path = world.store._backend.location  # type: ignore[attr-defined]
        with sqlite3.connect(path) as database:
            database.execute(
                "UPDATE document SET raw = CAST(replace(raw, 'UTC', 'CET') AS BLOB) WHERE event_id = ?",
                (bytes.fromhex(victim),),
            )
        database.close()
        done = await check(world.questions, manifest)
        assert done.altered == [victim]


def test_the_published_schema_is_the_one_in_the_wheel() -> None:
    published = Path(__file__).parents[2] / "docs/schemas/replay-manifest-1.schema.json"
    assert json.loads(published.read_text()) == schema()
    jsonschema.Draft202012Validator.check_schema(schema())


async def test_the_schema_refuses_what_is_no_manifest() -> None:
    async with sqlite_world() as world:
        manifest = await made(world)
    for key in manifest:
        assert not VALIDATOR.is_valid({name: value for name, value in manifest.items() if name != key}), key
    assert not VALIDATOR.is_valid({**manifest, "more": 1})


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"[]",
        b"{}",
        b'{"format": "headwater.replay-manifest/1"}',
        b"[" * 100_000,
        json.dumps({"format": "headwater.replay-manifest/1", "subject": {"dataset": 1}}).encode(),
        b'{"format": "\\ud800"}',
    ],
)
def test_what_is_no_manifest_is_refused(raw: bytes) -> None:
    with pytest.raises(MalformedManifestError):
        parse_manifest(raw)


async def test_a_withdrawn_generation_says_so() -> None:
    async with sqlite_world() as world:
        manifest = await made(world)
        assert (manifest["subject"]["withdrawn"], manifest["subject"]["bad"]) == (None, None)
        word = {"headwater_withdrawal": facet(reason="wrong rates"), "headwater_bad": facet(reason="wrong rates")}
        said = {"dataset": mention("revenue@rev-3", **word), "eventTime": "2026-03-03T00:00:00Z"}
        await world.take([[json.dumps(said).encode()]])
        now = await manifest_of(world.questions, REVENUE, "rev-3")
        VALIDATOR.validate(now)
        assert now["subject"]["withdrawn"]["reason"] == "wrong rates"
        assert "subject.withdrawn" in {each.where for each in (await check(world.questions, manifest)).differences}
        assert statement_of(now)["subject"][0]["annotations"].keys() == {"withdrawn", "bad"}


async def test_a_manifest_survives_its_file() -> None:
    async with sqlite_world() as world:
        manifest = await made(world)
        assert parse_manifest(json.dumps(manifest).encode()) == manifest
        assert (await manifest_of(world.questions, ORDERS))["subject"]["generation"] == "snap-2"
