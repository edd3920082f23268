"""openlineage-python's own client, events and facets."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

openlineage = pytest.importorskip("openlineage.client")

from openlineage.client import OpenLineageClient  # noqa: E402
from openlineage.client.event_v2 import Dataset, InputDataset, Job, Run, RunEvent, RunState  # noqa: E402
from openlineage.client.facet_v2 import (  # noqa: E402
    column_lineage_dataset,
    error_message_run,
    nominal_time_run,
    output_statistics_output_dataset,
    schema_dataset,
    sql_job,
)

from headwater.producer import LineageDataset, LineageProducer, run  # noqa: E402
from headwater.producer.openlineage import HeadwaterConfig, HeadwaterTransport  # noqa: E402
from headwater.producer.testing import MemoryTransport, capture_lineage  # noqa: E402

Make = Callable[..., LineageProducer]
RUN = "01a22820-1d09-770c-9266-9960e1d98352"


def an_event() -> RunEvent:
    column = column_lineage_dataset.Fields(
        inputFields=[column_lineage_dataset.InputField(namespace="db", name="a", field="x")],
        transformationDescription="",
        transformationType="",
    )
    return RunEvent(
        eventType=RunState.COMPLETE,
        eventTime="2026-11-29T10:00:00.123456+00:00",
        run=Run(runId=RUN, facets={"errorMessage": error_message_run.ErrorMessageRunFacet("boom", "python")}),
        job=Job(namespace="jobs", name="ö", facets={"sql": sql_job.SQLJobFacet(query="select 1")}),
        producer="https://example.org/x",
        inputs=[InputDataset(namespace="db", name="a")],
        outputs=[
            Dataset(
                namespace="db",
                name="b",
                facets={"columnLineage": column_lineage_dataset.ColumnLineageDatasetFacet(fields={"x": column})},
            )
        ],
    )


def test_their_events_are_written_as_their_serde_does(make_producer: Make) -> None:
    from openlineage.client.serde import Serde

    transport = MemoryTransport()
    producer = make_producer(transport)
    assert producer.emit(an_event())
    assert producer.flush()
    assert json.loads(transport.events[0]) == json.loads(Serde.to_json(an_event()))


def test_their_facets_are_taken_anywhere() -> None:
    fields = [schema_dataset.SchemaDatasetFacetFields(name="x", type="int")]
    table = LineageDataset("db", "t", facets={"schema": schema_dataset.SchemaDatasetFacet(fields=fields)})
    statistics = output_statistics_output_dataset.OutputStatisticsOutputDatasetFacet(rowCount=3)
    with capture_lineage() as events, run("load", inputs=[InputDataset(namespace="db", name="theirs")]) as handle:
        handle.facet("nominalTime", nominal_time_run.NominalTimeRunFacet("2026-11-29T00:00:00Z"))
        handle.job_facet("sql", sql_job.SQLJobFacet(query="select 1"))
        handle.output(table, output_facets={"outputStatistics": statistics})
    complete = events[-1]
    assert complete["inputs"][0]["name"] == "theirs"
    assert complete["run"]["facets"]["nominalTime"]["nominalStartTime"] == "2026-11-29T00:00:00Z"
    assert complete["job"]["facets"]["sql"]["query"] == "select 1"
    (output,) = complete["outputs"]
    assert output["facets"]["schema"]["fields"] == [{"name": "x", "type": "int", "fields": []}]
    assert output["facets"]["schema"]["_schemaURL"].endswith("SchemaDatasetFacet")
    assert output["outputFacets"]["outputStatistics"]["rowCount"] == 3


def test_their_client_ships_through_the_default_producer(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENLINEAGE__TRANSPORT__TYPE", "headwater.producer.openlineage.HeadwaterTransport")
    monkeypatch.setenv("HEADWATER_URL", "console:")
    monkeypatch.setenv("HEADWATER_SPOOL", str(tmp_path / "spool"))
    client = OpenLineageClient()
    assert isinstance(client.transport, HeadwaterTransport)
    assert client.transport.kind == "headwater"
    client.emit(an_event())
    assert client.close()
    body: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert body["job"]["name"] == "ö"
    assert body["run"]["facets"]["errorMessage"]["message"] == "boom"
    assert body["outputs"][0]["facets"]["columnLineage"]["fields"]["x"]["inputFields"][0]["field"] == "x"


@pytest.mark.parametrize("url_beside", [None, "http://127.0.0.1:9"])
def test_their_client_with_settings_of_the_transports_own(
    url_beside: str | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENLINEAGE__TRANSPORT__TYPE", "headwater.producer.openlineage.HeadwaterTransport")
    if url_beside:  # the client then adds settings that are not ours
        monkeypatch.setenv("OPENLINEAGE_URL", url_beside)
    monkeypatch.setenv("OPENLINEAGE__TRANSPORT__URL", "console:")
    monkeypatch.setenv("OPENLINEAGE__TRANSPORT__SPOOL_DIR", str(tmp_path / "own"))
    client = OpenLineageClient()
    client.emit(an_event())
    assert client.close(5)
    assert (tmp_path / "own").is_dir()
    assert json.loads(capsys.readouterr().out)["run"]["runId"] == RUN
    client.transport._producer.forget()


def test_a_wrong_setting_of_the_transports_own_turns_lineage_off(caplog: pytest.LogCaptureFixture) -> None:
    transport = HeadwaterTransport(HeadwaterConfig.from_dict({"url": "nonsense"}))
    assert not transport.emit(an_event())
    assert transport.close()
    assert "url = 'nonsense'" in caplog.records[0].getMessage()


def test_close_says_when_something_is_left(tmp_path: Path) -> None:
    settings = {"url": "http://127.0.0.1:9", "spool_dir": str(tmp_path / "spool")}
    transport = HeadwaterTransport(HeadwaterConfig.from_dict(settings))
    assert transport.emit(an_event())
    assert not transport.close(0.1)
    transport._producer.forget()
