"""OpenLineage's own Python client against a real collector, by its HTTP transport and by headwater's: what it says in
its own facets comes out as lineage."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.facet_v2 import (
    column_lineage_dataset,
    datasource_dataset,
    error_message_run,
    nominal_time_run,
    output_statistics_output_dataset,
    parent_run,
    schema_dataset,
    source_code_location_job,
)
from openlineage.client.facet_v2 import dataset_version_dataset as version_dataset
from openlineage.client.transport.http import HttpConfig, HttpTransport

from headwater.producer.openlineage import HeadwaterConfig, HeadwaterTransport
from tests.support.collector import collector

PRODUCER = "https://example.org/client"
PARENT, GOOD, BAD = (f"01938a1c-0000-7000-8000-00000000000{n}" for n in (1, 2, 3))
Client = Callable[[str, Path], OpenLineageClient]


def over_http(url: str, _: Path) -> OpenLineageClient:
    return OpenLineageClient(transport=HttpTransport(HttpConfig(url=url)))


def over_spool(url: str, directory: Path) -> OpenLineageClient:
    return OpenLineageClient(
        transport=HeadwaterTransport(HeadwaterConfig.from_dict({"url": url, "spool_dir": str(directory / "spool")}))
    )


CLIENTS: dict[str, Client] = {"http": over_http, "headwater": over_spool}


@pytest.fixture(scope="module", params=CLIENTS)
def ask(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], Any]]:
    """The collector's API, after a client has told it the story below."""
    directory = tmp_path_factory.mktemp(request.param)
    with collector(directory / "data") as url:
        client = CLIENTS[request.param](url, directory)
        for event in story():
            client.emit(event)
        assert client.close(30)
        with httpx.Client(base_url=url) as http:

            def ask(path: str) -> Any:
                answer = http.get(path)
                assert answer.status_code == 200, answer.text
                return answer.json()

            yield ask


def event(state: RunState, run: str, minute: int, job: str, **parts: Any) -> RunEvent:
    return RunEvent(
        eventType=state, eventTime=f"2026-11-29T10:{minute:02}:00+00:00", producer=PRODUCER,
        run=Run(run, parts.pop("run_facets", {})), job=Job("jobs", job, parts.pop("job_facets", {})), **parts,
    )  # fmt: skip


def story() -> list[RunEvent]:
    """A scheduler's run; below it one that loads a table, and one that fails."""
    nominal = {"nominalTime": nominal_time_run.NominalTimeRunFacet("2026-11-29T00:00:00Z", "2026-11-30T00:00:00Z")}
    below = {"parent": parent_run.ParentRunFacet(parent_run.Run(PARENT), parent_run.Job("jobs", "daily"))}
    code = source_code_location_job.SourceCodeLocationJobFacet(
        type="git", url="https://example.org/repo/load.py", version="f00d"
    )
    orders = InputDataset("db", "orders", facets={"version": version_dataset.DatasetVersionDatasetFacet("snap-7")})
    rates = InputDataset("db", "rates")
    return [
        event(RunState.START, PARENT, 0, "daily", run_facets=nominal),
        event(RunState.START, GOOD, 1, "load", run_facets=below | nominal, inputs=[orders, rates]),
        event(
            RunState.COMPLETE, GOOD, 5, "load", run_facets=below, job_facets={"sourceCodeLocation": code},
            inputs=[orders, rates], outputs=[revenue()],
        ),
        event(RunState.START, BAD, 6, "publish", run_facets=below, inputs=[InputDataset("db", "revenue")]),
        event(
            RunState.FAIL, BAD, 7, "publish",
            run_facets={"errorMessage": error_message_run.ErrorMessageRunFacet("disk full", "PYTHON", "Traceback")},
            outputs=[OutputDataset("s3://site", "page")],
        ),
        event(RunState.COMPLETE, PARENT, 8, "daily"),
    ]  # fmt: skip


def revenue() -> OutputDataset:
    transformation = column_lineage_dataset.Transformation("DIRECT", "AGGREGATION", masking=False)
    amount = column_lineage_dataset.InputField("db", "orders", "amount", [transformation])
    paid = column_lineage_dataset.InputField(
        "db", "orders", "paid", [column_lineage_dataset.Transformation("INDIRECT", "FILTER")]
    )
    fields = [schema_dataset.SchemaDatasetFacetFields("eur", "decimal(12,2)")]
    return OutputDataset(
        "db", "revenue",
        facets={
            "schema": schema_dataset.SchemaDatasetFacet(fields=fields),
            "dataSource": datasource_dataset.DatasourceDatasetFacet("db", "postgres://db:5432"),
            "columnLineage": column_lineage_dataset.ColumnLineageDatasetFacet(
                fields={"eur": column_lineage_dataset.Fields([amount])}, dataset=[paid]
            ),
        },
        outputFacets={"outputStatistics": output_statistics_output_dataset.OutputStatisticsOutputDatasetFacet(42, 9)},
    )  # fmt: skip


def test_evidence_names_run_code_and_inputs(ask: Callable[[str], Any]) -> None:
    evidence = ask("/api/evidence/db/revenue")
    assert (evidence["status"], evidence["current"], evidence["generation"]) == ("published", True, f"~{GOOD}")
    assert evidence["run"]["runId"] == GOOD
    assert evidence["run"]["code"]["version"] == "f00d"
    assert evidence["run"]["logicalKey"] == "jobs/load/2026-11-29T00:00:00Z"
    assert {(e["dataset"]["name"], e["version"], e["grade"]) for e in evidence["edges"]} == {
        ("orders", "snap-7", "declared"),
        ("rates", None, "unknown"),
    }
    assert evidence["schema"] == [{"name": "eur", "type": "decimal(12,2)", "fields": []}]


def test_columns_arrive(ask: Callable[[str], Any]) -> None:
    sources = ask("/api/columns/db/revenue/eur")["inputs"]
    said = {(s["dataset"]["name"], s["field"], s["type"], s["subtype"], s["version"]) for s in sources}
    assert said == {
        ("orders", "amount", "DIRECT", "AGGREGATION", "snap-7"),
        ("orders", "paid", "INDIRECT", "FILTER", "snap-7"),
    }


def test_parents_arrive(ask: Callable[[str], Any]) -> None:
    for run in (GOOD, BAD):
        assert ask(f"/api/runs/{run}")["parent"] == {"runId": PARENT, "job": {"namespace": "jobs", "name": "daily"}}
    parent = ask(f"/api/runs/{PARENT}")
    assert (parent["state"], parent["parent"]) == ("COMPLETED", None)
    assert (parent["nominalStart"], parent["nominalEnd"]) == ("2026-11-29T00:00:00Z", "2026-11-30T00:00:00Z")


def test_errors_arrive(ask: Callable[[str], Any]) -> None:
    failed = ask(f"/api/runs/{BAD}")
    assert (failed["state"], failed["ended"]) == ("FAILED", "2026-11-29T10:07:00Z")
    assert (failed["error"]["message"], failed["error"]["programmingLanguage"]) == ("disk full", "PYTHON")
    assert [(out["dataset"]["name"], out["status"]) for out in failed["outputs"]] == [("page", "candidate")]
    page = ask(f"/api/evidence/{quote('s3://site', safe='')}/page?generation=~{BAD}")
    assert (page["status"], page["run"]) == ("candidate", None)
    assert {pin["version"] for pin in failed["inputs"]} == {f"~{GOOD}"}


def test_every_event_is_kept_whole_and_once(ask: Callable[[str], Any]) -> None:
    assert ask("/api/counts")["events"] == len(story())
    facets = ask(f"/api/runs/{GOOD}")
    (output,) = [each for each in facets["datasetFacets"] if each["side"] == "OUTPUT_OWN"]
    assert output["facets"]["outputStatistics"]["rowCount"] == 42
