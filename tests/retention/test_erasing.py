"""Erasure: nothing of what was erased is left in documents or graph, and the graph still makes sense."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from headwater.collector.audit.sealing import Sealer
from headwater.collector.audit.verifying import Verifier
from headwater.collector.erasing.matching import Matcher
from headwater.collector.erasing.pseudonyms import Pseudonyms, kept_secret
from headwater.collector.erasing.skeleton import skeleton
from headwater.collector.erasing.work import Erased, Eraser
from headwater.collector.stores.composite import CompositeLineageStore
from headwater.collector.stores.sql import SqlLineageStore
from headwater.collector.testing.reference.histories import Historian
from headwater.shared.codec import from_dict
from headwater.shared.errors import ConfigurationError
from headwater.shared.event import Name
from tests.evidence.story import REVENUE, facet, run_id
from tests.support.seeds import rng
from tests.support.worlds import ENGINES, World, projected, sqlite_world

from .passes import WHOLE, documents, run_ids, stores_of

SECRET = b"s" * 32


@pytest.fixture(params=WHOLE)
async def world(request: pytest.FixtureRequest) -> AsyncIterator[World]:
    async with ENGINES[request.param]() as made:
        yield made


def named(name: str, namespace: str = "hr", version: str = "", **facets: Any) -> dict[str, Any]:
    said = {"version": facet(datasetVersion=version)} if version else {}
    return {"namespace": namespace, "name": name, "facets": {**said, **facets}}


def event(run: str, kind: str, at: int, job: tuple[str, str], **more: Any) -> dict[str, Any]:
    return {
        "eventType": kind,
        "eventTime": f"2026-03-02T02:{at:02}:00Z",
        "producer": "https://example.org/tests",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": run_id(run), "facets": more.get("facets", {})},
        "job": {"namespace": job[0], "name": job[1], "facets": more.get("job_facets", {})},
        "inputs": more.get("inputs", []),
        "outputs": more.get("outputs", []),
    }


def story() -> list[bytes]:
    """Salaries in ``hr`` become a report in ``shop/eu``; a job there is owned by a person."""
    columns = {"total": {"inputFields": [{"namespace": "hr", "name": "salaries", "field": "amount"}]}}
    sql = {"sql": facet(query="select sum(amount) from salaries where boss = 'Alice Liddell'")}
    owner = {"ownership": facet(owners=[{"name": "user:alice.liddell", "type": "OWNER"}])}
    schema = facet(fields=[{"name": "amount", "type": "int"}])
    key = {"headwater_attempt": facet(logicalKey="payroll/march")}
    events = [
        event(
            "pay",
            "COMPLETE",
            1,
            ("hr", "payroll"),
            outputs=[named("salaries", version="march", schema=schema)],
            facets=key,
        ),
        event("other", "COMPLETE", 2, ("etl", "other"), outputs=[named("orders", "shop/eu", "o-1")], job_facets=owner),
        event(
            *("report", "COMPLETE", 3, ("etl", "report")),
            inputs=[named("salaries", version="march"), named("orders", "shop/eu", "o-1")],
            outputs=[named("revenue", "shop/eu", "r-1", columnLineage=facet(fields=columns))],
            job_facets=sql,
        ),
        {
            "eventTime": "2026-03-02T00:00:00Z",
            "producer": "https://example.org/tests",
            "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/DatasetEvent",
            "dataset": named("hr", "headwater:namespaces", headwater_namespace=facet(ownerName="alice")),
        },
    ]
    return [json.dumps(each).encode() for each in events]


async def erase(world: World, dry_run: bool = False, secret: bytes = SECRET, **what: str) -> Erased:
    done = Erased(dry_run=dry_run)
    await Eraser(CompositeLineageStore(stores_of(world)), Matcher(**what), secret, done).run()
    assert done.complete
    return done


async def everything(world: World) -> str:
    """All that the store says, as one text."""
    raw = [each.decode() for each in (await documents(world)).values()]
    lines = [each.decode() for each in await world.questions.reader.base_lines()]
    return "\n".join([*raw, *lines])


async def test_a_namespace_leaves_a_skeleton(world: World) -> None:
    await world.take([story()])
    before = await world.questions.evidence(REVENUE, depth=3)
    assert (await erase(world, dry_run=True, namespace="hr")).found == 3
    assert "salaries" in await everything(world)
    done = await erase(world, namespace="hr")
    assert (done.looked, done.found, done.erased) == (4, 3, 3)
    assert done.rebuilt is not None
    assert done.rebuilt.whole
    left = await everything(world)
    for gone in ("salaries", '"hr"', "payroll", "march", "amount", "Liddell boss", "select", "headwater:namespaces"):
        assert gone not in left, gone
    after = await world.questions.evidence(REVENUE, depth=3)
    assert (after["status"], after["run"]["runId"]) == ("published", before["run"]["runId"])
    assert [each["grade"] for each in after["edges"]] == [each["grade"] for each in before["edges"]]
    pins = {each["dataset"]["name"]: each for each in after["inputs"]}
    assert pins["orders"]["version"] == "o-1", "what is not erased keeps its name"
    (erased,) = [each for name, each in pins.items() if name != "orders"]
    assert erased["dataset"]["namespace"].startswith("erased-")
    sources = {each["dataset"]["name"]: each for each in after["sources"]}
    assert sources[erased["dataset"]["name"]]["run"]["runId"] == run_id("pay"), "the graph holds together"
    assert await run_ids(world) == {run_id("pay"), run_id("other"), run_id("report")}
    again = await erase(world, namespace="hr")
    assert (again.looked, again.found, again.rebuilt) == (3, 0, None)


async def test_a_person_is_gone_and_others_stay(world: World) -> None:
    await world.take([story()])
    done = await erase(world, text="liddell")
    assert done.erased == 2
    left = await everything(world)
    assert "iddell" not in left
    assert "salaries" in left, "names that do not hold the text stay"
    assert (await world.questions.evidence(REVENUE))["status"] == "published"


@pytest.mark.parametrize("number", range(10))
def test_a_skeleton_of_anything_is_an_event_without_it(number: int) -> None:
    source = rng("skeleton", number)
    for body in Historian(source, runs=6).history():
        for matcher in (Matcher(namespace="db"), Matcher(namespace="jobs"), Matcher(text="hive")):
            if not matcher.touches(body):
                continue
            left = skeleton(body, matcher, Pseudonyms(SECRET))
            assert left is not None
            assert not matcher.touches(left)
            made = from_dict(left)
            assert not projected(made.raw).projection.problems, "and nothing in it is malformed"
            assert (made.event_time, made.event_type) == (from_dict(body).event_time, from_dict(body).event_type)
            assert len(made.outputs) == len(from_dict(body).outputs)


@pytest.mark.parametrize("number", range(6))
async def test_a_graph_of_skeletons_has_the_same_shape(number: int) -> None:
    """States, attempts, pins and edges are what they were; only names differ."""
    source = rng("shape", number)
    raw = [json.dumps(each).encode() for each in Historian(source, runs=6).history()]
    raw = [each for each in raw if b'"hive"' not in each]  # a name that stays would keep its versions apart
    async with sqlite_world() as world:
        await world.take([raw])
        before = await shape(world)
        await erase(world, namespace="db")
        assert await shape(world) == before


async def shape(world: World) -> list[Any]:
    found = []
    for run in sorted(await run_ids(world)):
        answer = await world.questions.run(run)
        assert answer is not None
        pins = sorted((each["grade"], each["version"] is None) for each in answer["inputs"])
        outputs = sorted((each["status"], each["committedAt"] or "") for each in answer["outputs"])
        found.append((run, answer["state"], answer["attempt"], answer["parent"], pins, outputs))
    return found


async def test_seals_say_that_something_was_erased_and_not_what() -> None:
    async with sqlite_world() as world:
        assert isinstance(world.store, SqlLineageStore)
        await world.take([story()])
        trail, ids = world.store.trail(), world.store.reader()
        await Sealer(trail, ids, grace_s=0).run()
        await erase(world, namespace="hr")
        checked = await Verifier(trail, ids).run()
        assert (checked.intact, checked.removed) == (True, 3)
        reasons = {seal.reason for seal in await trail.seals(0, 10)}
        assert reasons == {"", "erased on request"}
        await Sealer(trail, ids, grace_s=0).run()
        assert (await Verifier(trail, ids).run()).unsealed == 0


async def test_nothing_of_it_is_in_a_packed_copy(tmp_path: Path) -> None:
    """SQLite keeps what was deleted in unused pages until the file is packed."""
    async with sqlite_world() as world:
        await world.take([story()])
        await erase(world, namespace="hr")
        path = world.store._backend.location  # type: ignore[attr-defined]
        with sqlite3.connect(path) as database:
            database.execute("VACUUM INTO ?", (str(tmp_path / "packed.db"),))
        database.close()
    packed = (tmp_path / "packed.db").read_bytes()
    assert b"orders" in packed
    for gone in (b"salaries", b"payroll", b"amount", b"march"):
        assert gone not in packed


def test_the_secret_outlives_what_was_broken_off_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "data" / "erase.secret"
    with pytest.raises(RuntimeError), kept_secret(path) as first:
        raise RuntimeError
    assert path.stat().st_mode & 0o777 == 0o600
    with kept_secret(path) as second:
        assert second == first
    assert not path.exists()
    with kept_secret(path) as third:
        assert third != first
    path.write_bytes(b"torn")
    with pytest.raises(ConfigurationError, match="torn"), kept_secret(path):
        pass


def test_pseudonyms_keep_namespaces_together_and_names_apart() -> None:
    ours = Pseudonyms(SECRET)
    assert ours.name(Name("a", "b")) == ours.name(Name("a", "b"))
    assert ours.name(Name("a", "b")).namespace == ours.name(Name("a", "c")).namespace
    assert ours.name(Name("a", "bc")) != ours.name(Name("ab", "c"))
    assert ours.name(Name("a", "b")) != Pseudonyms(b"t" * 32).name(Name("a", "b"))


@pytest.mark.parametrize("wrong", [{}, {"namespace": "a", "text": "bcd"}, {"text": "ab"}, {"namespace": ""},
                                   {"namespace": "headwater:tags"}])  # fmt: skip
def test_what_cannot_be_erased(wrong: dict[str, str]) -> None:
    with pytest.raises(ValueError):
        Matcher(**wrong)
