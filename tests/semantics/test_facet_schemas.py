"""The published schemas of headwater's own facets hold for what the scenarios and headwater itself say."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError
from referencing import Registry, Resource

from headwater.collector.cli.commands.mark.event import mark_event
from headwater.collector.interruption import INTERRUPTED_FACET, interruption_event
from headwater.collector.marks import BAD_FACET, WITHDRAWAL_FACET
from headwater.collector.projection import project
from headwater.collector.wants import DEP_MISS_FACET, QUEUED_FACET, WANT_FACET, WANTS_FACET
from headwater.shared import times
from headwater.shared.codec import decode
from headwater.shared.event import Name
from tests.support.outside import ROOT, need

from .scenarios import events, files

SCHEMAS = {
    "headwater_attempt": "HeadwaterAttemptRunFacet",
    "headwater_commit": "HeadwaterCommitOutputDatasetFacet",
    "headwater_position": "HeadwaterPositionInputDatasetFacet",
    INTERRUPTED_FACET: "HeadwaterInterruptedRunFacet",
    WITHDRAWAL_FACET: "HeadwaterWithdrawalDatasetFacet",
    BAD_FACET: "HeadwaterBadDatasetFacet",
    WANT_FACET: "HeadwaterWantDatasetFacet",
    WANTS_FACET: "HeadwaterWantsRunFacet",
    QUEUED_FACET: "HeadwaterQueuedRunFacet",
    DEP_MISS_FACET: "HeadwaterDepMissRunFacet",
}
RUN = "00000000-0000-4000-8000-000000000001"


def schema(name: str) -> dict[str, Any]:
    said: dict[str, Any] = json.loads((ROOT / "docs/facets" / f"{SCHEMAS[name]}.json").read_text())
    return said


def validator(name: str) -> Draft202012Validator:
    spec = json.loads(need("openlineage/OpenLineage.json").read_text())
    registry: Registry[Any] = Registry().with_resource(spec["$id"], Resource.from_contents(spec))
    return Draft202012Validator(schema(name), registry=registry, format_checker=Draft202012Validator.FORMAT_CHECKER)


def said(value: Any) -> Iterator[tuple[str, Any]]:
    """Every facet of ours in an event."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in SCHEMAS:
                yield key, inner
            yield from said(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from said(inner)


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_schema_is_one_and_names_itself(name: str) -> None:
    Draft202012Validator.check_schema(schema(name))
    assert schema(name)["$id"] == f"urn:headwater:facet:{SCHEMAS[name]}:1-0-0"


@pytest.mark.parametrize("path", files(), ids=lambda path: path.stem)
def test_what_is_read_is_what_the_schemas_allow(path: Path) -> None:
    """A facet of ours in a scenario is valid, or the projection says that it has a problem."""
    for raw in events(path):
        wrong = {name for name, facet in said(json.loads(raw)) if not validator(name).is_valid(facet)}
        problems = {
            name for name in SCHEMAS for problem in project(decode(raw)).problems if name in problem.where.split("/")
        }
        assert wrong == problems, raw


def test_what_headwater_says_itself() -> None:
    time = times.parse("2026-01-01T00:00:00Z")
    own = [
        interruption_event(RUN, Name("jobs", "load"), time, timedelta(hours=1)),
        mark_event(Name("db", "t"), WITHDRAWAL_FACET, ["1"], {"withdrawn": True, "reason": "r"}, time, time),
        mark_event(Name("db", "t"), BAD_FACET, ["1", "2"], {"bad": False}, time, time),
    ]
    for event in own:
        assert not project(decode(json.dumps(event).encode())).problems
        found = list(said(event))
        assert found
        for name, facet in found:
            validator(name).validate(facet)
            assert facet["_schemaURL"] == schema(name)["$id"]
    with pytest.raises(ValidationError):
        validator(BAD_FACET).validate({"_producer": "https://e.org", "_schemaURL": "https://e.org", "generations": []})
