"""What the producer sends holds OpenLineage's own schemas, and the collector's codec takes it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from headwater.producer import LineageDataset, run
from headwater.producer._facets import _STANDARD, schema_url
from headwater.producer._version import VERSION
from headwater.producer.testing import capture_lineage
from headwater.shared.codec import from_dict

SHARED = Path(os.environ.get("HEADWATER_SHARED", Path(__file__).parents[3] / "shared"))
SPEC = SHARED / "openlineage"


@pytest.fixture
def events() -> list[dict[str, Any]]:
    table = LineageDataset("db", "t", "7", facets={"schema": {"fields": [{"name": "x", "type": "int"}]}})
    with capture_lineage() as captured, run("outer", logical_key="k"), run("inner") as handle:
        handle.input(("db", "source"), version="1", input_facets={"inputStatistics": {"rowCount": 4}})
        handle.output(table, inputs=[("db", "source")])
        handle.output_stats(table, rows=1, size=2)
        handle.facet("nominalTime", {"nominalStartTime": "2026-11-29T00:00:00Z"})
        handle.facet("my_own", {"anything": [1]})
        handle.commit(table)
        handle.fail(ValueError("x"))
    return captured


def test_the_codec_takes_them(events: list[dict[str, Any]]) -> None:
    assert [from_dict(event).event_type for event in events] == ["START", "START", "RUNNING", "FAIL", "COMPLETE"]


def test_they_hold_the_schemas(events: list[dict[str, Any]]) -> None:
    if not SPEC.is_dir():
        if os.environ.get("CI"):
            pytest.fail(f"no OpenLineage schemas in {SPEC}")
        pytest.skip(f"no OpenLineage schemas in {SPEC}: set HEADWATER_SHARED")
    jsonschema = pytest.importorskip("jsonschema")
    referencing = pytest.importorskip("referencing")
    schemas = [json.loads(path.read_text()) for path in [SPEC / "OpenLineage.json", *(SPEC / "facets").glob("*.json")]]
    resources = [(one["$id"], referencing.Resource.from_contents(one)) for one in schemas]
    registry = referencing.Registry().with_resources(resources)
    draft = jsonschema.Draft202012Validator
    core = draft({"$ref": resources[0][0]}, registry=registry, format_checker=draft.FORMAT_CHECKER)
    checked = set()
    for event in events:
        core.validate(event)
        holders = [event["run"], event["job"], *event["inputs"], *event["outputs"]]
        for holder in holders:
            for group in ("facets", "inputFacets", "outputFacets"):
                for name, facet in holder.get(group, {}).items():
                    url = facet["_schemaURL"]
                    if url.startswith("https://openlineage.io/spec/facets/"):
                        draft({"$ref": url}, registry=registry).validate(facet)
                        checked.add(name)
    assert checked >= {
        "schema",
        "version",
        "outputStatistics",
        "lineage",
        "parent",
        "errorMessage",
        "processing_engine",
    }
    known = {one["$id"]: one for one in schemas}
    for kind, name in _STANDARD:
        file, _, definition = schema_url(kind, name).partition("#/$defs/")
        assert definition in known[file]["$defs"], (kind, name)


def test_the_version_is_the_wheels_own() -> None:
    project = Path(__file__).parents[1] / "pyproject.toml"
    assert f'version = "{VERSION}"' in project.read_text()
