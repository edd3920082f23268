"""Wants under erasure and retention: who served what stays, what was said of it in words goes."""

from __future__ import annotations

import json

import pytest

from headwater.collector.erasing.matching import Matcher
from headwater.collector.erasing.pseudonyms import Pseudonyms
from headwater.collector.erasing.skeleton import skeleton
from headwater.collector.facts import WantRun, WantSaid
from headwater.collector.stores.forgetting import Forgets
from headwater.collector.stores.reading import WantQuery
from headwater.collector.testing.conformance.events import wants
from headwater.shared.codec import from_dict, run_uuid
from tests.support.seeds import rng
from tests.support.worlds import ENGINES, projected

from .passes import WHOLE, stores_of

FACET = {"_producer": "https://example.org/tests", "_schemaURL": "https://example.org/tests"}


@pytest.mark.parametrize("number", range(5))
def test_a_skeleton_keeps_who_served_what(number: int) -> None:
    for raw in wants(rng("wants", number)):
        left = skeleton(json.loads(raw), Matcher(namespace="db"), Pseudonyms(b"s" * 32))
        assert left is not None
        made = projected(from_dict(left).raw).projection
        before = projected(raw).projection
        assert not made.problems
        assert not Matcher(namespace="db").touches(left)
        links = [fact for fact in made.facts if isinstance(fact, WantRun)]
        assert links == [fact for fact in before.facts if isinstance(fact, WantRun)]
        said = [fact for fact in made.facts if isinstance(fact, WantSaid)]
        for ours, theirs in zip(said, (fact for fact in before.facts if isinstance(fact, WantSaid)), strict=True):
            assert (ours.want, ours.time, ours.comment) == (theirs.want, theirs.time, None)
            assert len(ours.partitions) == len(theirs.partitions)


def test_an_id_that_holds_the_text_has_another_one_everywhere() -> None:
    want = {
        "eventTime": "2026-01-01T00:00:00Z",
        "dataset": {
            "namespace": "headwater:wants",
            "name": "for alice",
            "facets": {"headwater_want": {**FACET, "partitions": [{"namespace": "db", "name": "t"}]}},
        },
    }
    run = {
        "eventTime": "2026-01-01T00:00:00Z",
        "eventType": "FAIL",
        "run": {
            "runId": run_uuid("r"),
            "facets": {
                "headwater_wants": {**FACET, "wants": ["for alice"]},
                "headwater_dep_miss": {**FACET, "wants": [{"id": "for alice", "comment": "for alice"}]},
            },
        },
        "job": {"namespace": "jobs", "name": "j"},
    }
    pseudonyms = Pseudonyms(b"s" * 32)
    ids = set()
    for body in (want, run):
        left = skeleton(body, Matcher(text="alice"), pseudonyms)
        assert left is not None
        assert "alice" not in json.dumps(left)
        facts = projected(from_dict(left).raw).projection.facts
        ids |= {fact.want for fact in facts if isinstance(fact, WantRun | WantSaid)}
    assert len(ids) == 1
    assert run_uuid("for alice") not in ids


@pytest.mark.parametrize("engine", WHOLE)
async def test_a_run_that_is_forgotten_serves_nothing_and_its_want_stays(engine: str) -> None:
    async with ENGINES[engine]() as world:
        await world.take([wants(rng("forgotten", 0), count=4)])
        reader = world.questions.reader
        runs = [f"00000000-0000-0000-0000-{0x1000 + number:012x}" for number in range(4)]
        ids = [f"00000000-0000-4000-8000-{number:012x}" for number in range(4)]
        said = await reader.wants(ids)
        for store in stores_of(world):
            if isinstance(store, Forgets):
                await store.forget(runs[:2], [])
        assert await reader.wants(ids) == said != {}
        served = await reader.want_links([WantQuery("runs", want) for want in ids], 100)
        assert {run for links in served for run in links.ids} <= set(runs[2:])
        assert sum(links.total for links in served) > 0
        assert all(links.total == len(links.ids) for links in served)
        gone = await reader.want_links([WantQuery("wants", run) for run in runs[:2]], 100)
        assert [links.total for links in gone] == [0, 0]
