"""PROV-JSON, read back by the ``prov`` library."""

from __future__ import annotations

import json

import pytest
from prov.model import (
    ProvActivity,
    ProvAssociation,
    ProvDerivation,
    ProvDocument,
    ProvEntity,
    ProvGeneration,
    ProvUsage,
)

from tests.support.worlds import ENGINES, sqlite_world

from .story import REVENUE, event, mention, run_id, story
from .test_manifest import WHOLE


@pytest.mark.parametrize("engine", WHOLE)
async def test_the_prov_library_reads_it(engine: str) -> None:
    async with ENGINES[engine]() as world:
        await world.take([story()])
        said = await world.questions.export(REVENUE, None, "prov", depth=5)
    document = ProvDocument.deserialize(content=json.dumps(said), format="json")
    assert document == ProvDocument.deserialize(content=document.serialize(format="json"), format="json")
    runs = {record.identifier.uri: record for record in document.get_records(ProvActivity)}
    retry = runs[f"urn:headwater:run/{run_id('retry')}"]
    assert retry.get_startTime().isoformat() == "2026-03-02T02:08:00+00:00"
    assert f"urn:headwater:run/{run_id('failed')}" not in runs, "a failed attempt made nothing"
    assert f"urn:headwater:run/{run_id('load 2')}" in runs, "as deep as asked"
    made = [record.args[0].uri for record in document.get_records(ProvGeneration) if record.args[1] == retry.identifier]
    assert made == ["urn:headwater:dataset/shop%2Feu/revenue/rev-3"]
    used = {record.args[1].uri for record in document.get_records(ProvUsage) if record.args[0] == retry.identifier}
    assert used == {
        "urn:headwater:dataset/shop%2Feu/orders/snap-2",
        f"urn:headwater:dataset/shop%2Feu/rates/~{run_id('rates')}",
        "urn:headwater:dataset/shop%2Feu/elsewhere",
    }
    assert len(list(document.get_records(ProvDerivation))) == 3
    plans = {record.args[2].uri for record in document.get_records(ProvAssociation) if record.args[2]}
    assert len(plans) == 1
    assert {record.identifier.uri for record in document.get_records(ProvEntity)} >= used | plans


async def test_an_unknown_edge_is_no_derivation() -> None:
    both = event(
        *("both", "COMPLETE", 3, "both"),
        inputs=[mention("a@1"), mention("b@1")],
        outputs=[mention("revenue@1"), mention("other@1")],
    )
    async with sqlite_world() as world:
        await world.take([[json.dumps(both).encode()]])
        said = await world.questions.export(REVENUE, None, "prov")
    assert "wasDerivedFrom" not in said
    assert len(said["used"]) == 2


async def test_what_nobody_published_is_an_entity_alone() -> None:
    async with sqlite_world() as world:
        await world.take([story()])
        said = await world.questions.export(REVENUE, "rev-2", "prov")
    assert set(said) == {"prefix", "entity"}
    assert next(iter(said["entity"].values()))["headwater:status"] == "candidate"
    ProvDocument.deserialize(content=json.dumps(said), format="json")
