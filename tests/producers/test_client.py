"""openlineage-python by each of its transports: one story, told five ways, is one graph; the standard's examples of
every facet come back as they were said."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from tests.corpus.files import entries
from tests.producers.api import Api
from tests.producers.environments import OUR_PACKAGES, PROJECTS
from tests.producers.facet_fixtures import facet_fixtures
from tests.producers.pipelines import KafkaPipeline, kafka_pipeline, up
from tests.producers.programs import run_program
from tests.servers.places import KafkaTopics

pytestmark = pytest.mark.producers

SIDES = {
    ("inputs", "facets"): "INPUT",
    ("inputs", "inputFacets"): "INPUT_OWN",
    ("outputs", "facets"): "OUTPUT",
    ("outputs", "outputFacets"): "OUTPUT_OWN",
}


META = ("_producer", "_schemaURL", "facets")
CLIENT_TAG = {"key": "openlineage_client_version", "value": "1.54.0", "source": "OPENLINEAGE_CLIENT"}


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scenarios of OpenLineage/compatibility-tests, and each facet of the standard's own tests."""
    scenarios = [entry.event for entry in entries("compatibility-tests") if is_uuid(entry.event["run"]["runId"])]
    said = scenarios + [one.event() for one in facet_fixtures()]
    file = tmp_path_factory.mktemp("story") / "events.ndjson"
    file.write_text("".join(json.dumps(event) + "\n" for event in said))
    return file


def is_uuid(text: str) -> bool:
    """The client makes no run with another id, and one scenario has such a one."""
    try:
        return bool(UUID(text))
    except ValueError:
        return False


def tell(openlineage: Path, story: Path, transport: Mapping[str, Any], **more: str) -> None:
    """Runs the client with this transport configured as in an ``openlineage.yml`` (of which JSON is a part)."""
    config = story.parent / "openlineage.yml"
    config.write_text(json.dumps({"transport": transport}))
    env = {"OPENLINEAGE_CONFIG": str(config), **more}
    run_program(openlineage, ["python", str(PROJECTS / "client" / "tell.py"), str(story)], where=story.parent, env=env)


def http(api: Api, kind: str = "http") -> dict[str, Any]:
    return {"type": kind, "url": api.url, "compression": "gzip"}


@pytest.fixture(scope="module")
def told(openlineage: Path, story: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """A collector that was told the story by the client's plain HTTP transport."""
    with up(tmp_path_factory.mktemp("http") / "data") as api:
        tell(openlineage, story, http(api))
        yield api


def lines(story: Path) -> int:
    return len(story.read_text().splitlines())


def events(story: Path) -> int:
    """Some stand twice in the scenarios."""
    return len(set(story.read_text().splitlines()))


def test_http_says_everything(told: Api, story: Path) -> None:
    assert told.get("counts")["events"] == events(story)
    assert told.get("deadletters")["letters"] == []


def test_async_http_is_the_same_graph(told: Api, openlineage: Path, story: Path, tmp_path: Path) -> None:
    with up(tmp_path / "data") as api:
        tell(openlineage, story, http(api, "async_http"))
        assert api.get("counts")["events"] == events(story)
        assert api.get("fingerprint") == told.get("fingerprint")


def test_headwater_s_transport_is_the_same_graph(told: Api, openlineage: Path, story: Path, tmp_path: Path) -> None:
    with up(tmp_path / "data") as api:
        transport = {
            "type": "headwater.producer.openlineage.HeadwaterTransport",
            "url": api.url,
            "spool_dir": str(tmp_path / "spool"),
        }
        tell(openlineage, story, transport, PYTHONPATH=OUR_PACKAGES)
        assert api.get("counts")["events"] == events(story)
        assert api.get("fingerprint") == told.get("fingerprint")


@pytest.fixture(scope="module")
def kafka(tmp_path_factory: pytest.TempPathFactory, kafka_url: str) -> Iterator[KafkaPipeline]:
    with KafkaTopics(kafka_url) as topics, kafka_pipeline(tmp_path_factory.mktemp("kafka"), topics) as pipeline:
        yield pipeline


def over_kafka(kafka: KafkaPipeline) -> dict[str, Any]:
    return {"type": "kafka", "topic": kafka.topic, "config": {"bootstrap.servers": kafka.bootstrap, "acks": "all"}}


def test_kafka_is_the_same_graph(told: Api, openlineage: Path, story: Path, kafka: KafkaPipeline) -> None:
    before = kafka.taken()
    tell(openlineage, story, over_kafka(kafka))
    assert kafka.drained() - before == lines(story)
    assert kafka.api.get("counts")["events"] == events(story)
    assert kafka.api.get("fingerprint") == told.get("fingerprint")


def test_composite_of_http_and_kafka_is_the_same_graph_twice(
    told: Api, openlineage: Path, story: Path, kafka: KafkaPipeline, tmp_path: Path
) -> None:
    before = kafka.taken()
    with up(tmp_path / "data") as api:
        transports = {"over_http": http(api), "over_kafka": over_kafka(kafka)}
        tell(openlineage, story, {"type": "composite", "transports": transports})
        assert api.get("fingerprint") == told.get("fingerprint")
    assert kafka.drained() - before == lines(story)
    assert kafka.api.get("fingerprint") == told.get("fingerprint")


def test_every_facet_of_the_standard_comes_back(told: Api) -> None:
    for fixture in facet_fixtures():
        run = told.get("runs", fixture.run_id)
        part, key = fixture.place
        if part == "run":
            back = run["facets"]
        elif part == "job":
            back = run["jobFacets"]
        else:
            [mention] = [one for one in run["datasetFacets"] if one["side"] == SIDES[part, key]]
            back = mention["facets"]
        for name, facet in fixture.facets.items():
            assert said(back[name]) == said(facet), fixture.origin


def said(value: Any) -> Any:
    """What a facet says: without its producer and schema, which the client states where the facet is an object of its
    own, without the client's tag, and without what its serialiser leaves out (nulls, empty elements of lists)."""
    if isinstance(value, dict):
        return {key: said(each) for key, each in value.items() if each is not None and key not in META}
    if isinstance(value, list):
        return [said(each) for each in value if each is not None and each != {} and each != CLIENT_TAG]
    return value


def test_the_scenarios_end_as_their_producers_did(told: Api) -> None:
    states = told.jobs()
    assert states["shakespeare_on_spark"] == ["COMPLETED"]
    assert states["cl_i_test_application.drop_table"] == ["COMPLETED", "COMPLETED"]
    assert (states["cl_i_test_application"], states["dag.task_0"]) == (["RUNNING"], ["RUNNING"])  # told without an end
    assert states["BQ"] == states["BQ.copy"] == states["BQ.download"] == ["COMPLETED"]
