"""marquez-python 0.50.0, unchanged, against a live server."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

import pytest

marquez_client = pytest.importorskip("marquez_client", reason="marquez-python is not installed")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


async def test_the_client_drives_namespaces_sources_datasets_jobs_runs_and_tags(url: str) -> None:
    await asyncio.to_thread(_drive, marquez_client.MarquezClient(url))


def _drive(client: Any) -> None:
    from marquez_client.models import DatasetId, DatasetType, JobType

    assert client.create_namespace("ns", "owner", "what it is for")["ownerName"] == "owner"
    assert client.get_namespace("ns")["description"] == "what it is for"
    assert [each["name"] for each in client.list_namespaces()["namespaces"]] == ["ns"]

    client.create_source("warehouse", "postgresql", "jdbc:postgresql://db:5432/x", "all tables")
    assert client.get_source("warehouse")["connectionUrl"] == "jdbc:postgresql://db:5432/x"
    assert [each["name"] for each in client.list_sources()["sources"]] == ["default", "warehouse"]

    fields = [{"name": "id", "type": "INT"}, {"name": "mail", "type": "TEXT", "tags": ["PII"]}]
    for name in ("raw", "clean"):
        client.create_dataset(
            "ns", name, DatasetType.DB_TABLE, f"public.{name}", "warehouse", description=name, fields=fields
        )
    topic = client.create_dataset(
        "ns", "topic", DatasetType.STREAM, "topic", "warehouse", schema_location="http://registry/1"
    )
    assert (topic["type"], topic["schemaLocation"]) == ("STREAM", "http://registry/1")
    raw = client.get_dataset("ns", "raw")
    assert (raw["physicalName"], raw["sourceName"], raw["description"]) == ("public.raw", "warehouse", "raw")
    assert [(each["name"], each["tags"]) for each in raw["fields"]] == [("id", []), ("mail", ["PII"])]
    assert [each["name"] for each in client.list_datasets("ns")["datasets"]] == ["clean", "raw", "topic"]

    assert client.tag_dataset("ns", "raw", "mine")["tags"] == ["mine"]
    assert client.tag_dataset_field("ns", "raw", "id", "key")["fields"][0]["tags"] == ["KEY"]
    assert {"mine", "KEY", "PII", "SENSITIVE"} <= {each["name"] for each in client.list_tags()["tags"]}

    client.create_job(
        "ns", "tidy", JobType.BATCH, "https://example.org/repo", inputs=[DatasetId("ns", "raw")],
        outputs=[DatasetId("ns", "clean")], description="makes it clean",
    )  # fmt: skip
    job = client.get_job("ns", "tidy")
    assert (job["inputs"], job["outputs"]) == (
        [{"namespace": "ns", "name": "raw"}],
        [{"namespace": "ns", "name": "clean"}],
    )
    assert (job["type"], job["location"], job["latestRun"]) == ("BATCH", "https://example.org/repo", None)
    assert client.list_jobs("ns")["totalCount"] == 1

    _drive_runs(client)


def _drive_runs(client: Any) -> None:
    run = client.create_job_run(
        "ns", "tidy", nominal_start_time="2026-01-01T00:00:00Z", run_args={"speed": "high"}, mark_as_running=True
    )
    assert (run["state"], run["args"], run["nominalStartTime"]) == (
        "RUNNING",
        {"speed": "high"},
        "2026-01-01T00:00:00Z",
    )
    assert run["jobVersion"] is None
    done = client.mark_job_run_as_completed(run["id"])
    assert done["state"] == "COMPLETED"
    assert [each["datasetVersionId"]["name"] for each in done["inputDatasetVersions"]] == ["raw"]
    assert [each["datasetVersionId"]["name"] for each in done["outputDatasetVersions"]] == ["clean"]
    for mark, state in ((client.mark_job_run_as_failed, "FAILED"), (client.mark_job_run_as_aborted, "ABORTED")):
        other = client.create_job_run("ns", "tidy", run_id=str(uuid4()))
        client.mark_job_run_as_started(other["id"])
        assert mark(other["id"])["state"] == state
    assert {each["state"] for each in client.list_job_runs("ns", "tidy")["runs"]} == {"COMPLETED", "FAILED", "ABORTED"}
    assert client.get_job_run(run["id"])["state"] == "COMPLETED"
    assert client.get_job("ns", "tidy")["latestRun"]["state"] == "ABORTED"

    versions = client.list_dataset_versions("ns", "clean")["versions"]
    assert [each["createdByRun"]["id"] for each in versions] == [run["id"]]
    current = client.get_dataset("ns", "clean")["currentVersion"]
    assert client.get_dataset_version("ns", "clean", current)["createdByRun"]["id"] == run["id"]
