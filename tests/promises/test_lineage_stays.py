"""Lineage never vanishes: whatever comes next, what a job read and wrote stays to be seen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from headwater.collector.embedded import Embedded
from headwater.shared.codec import dumps
from headwater.shared.event import Name

from .events import PRODUCER

JOB = Name("jobs", "daily")


def event(word: str, run: int, time: str, inputs: str = "", outputs: str = "") -> bytes:
    """Datasets are single letters."""
    return dumps(
        {
            "eventType": word, "eventTime": f"2026-01-{time}:00Z", "producer": PRODUCER,
            "run": {"runId": f"00000000-0000-4000-8000-{run:012}"}, "job": JOB._asdict(),
            "inputs": [{"namespace": "db", "name": name} for name in inputs],
            "outputs": [{"namespace": "db", "name": name} for name in outputs],
        }
    )  # fmt: skip


RELEASE = [event("START", 1, "01T00:00", "a"), event("COMPLETE", 1, "01T00:05", "a", "b")]
STORIES: dict[str, tuple[list[bytes], str, str]] = {
    "a START without outputs": ([event("START", 2, "02T00:00", "a")], "a", "b"),
    "a START without anything": ([event("START", 2, "02T00:00")], "a", "b"),
    "a FAIL without datasets": ([event("START", 2, "02T00:00", "a"), event("FAIL", 2, "02T00:01")], "a", "b"),
    "an ABORT without datasets": ([event("ABORT", 2, "02T00:01")], "a", "b"),
    "a COMPLETE without datasets": ([event("START", 2, "02T00:00", "a"), event("COMPLETE", 2, "02T00:01")], "a", "b"),
    "a START that comes after its COMPLETE": (
        [event("COMPLETE", 2, "02T00:05", "a", "b"), event("START", 2, "02T00:00", "a")], "a", "b",
    ),
    "outputs that alternate": ([event("COMPLETE", 2, "02T00:05", "a", "c")], "a", "bc"),
    "a RUNNING with inputs and outputs": ([event("RUNNING", 2, "02T00:00", "ad", "be")], "ad", "be"),
    "an OTHER with nothing": ([event("OTHER", 1, "01T00:06")], "a", "b"),
    "an older run that comes late": ([event("COMPLETE", 2, "01T00:00")], "a", "b"),
}  # fmt: skip


def names(values: list[dict[str, Any]]) -> str:
    return "".join(sorted(value["name"] for value in values))


@pytest.mark.parametrize("story", STORIES)
async def test_lineage_stays(tmp_path: Path, story: str) -> None:
    events, inputs, outputs = STORIES[story]
    embedded = Embedded(tmp_path)
    await embedded.start()
    try:
        await embedded.ingest(RELEASE)
        for one in events:
            await embedded.ingest([one])
            job = await embedded.questions.job(JOB)
            assert job is not None
            assert set("a") <= set(names(job["inputs"])), "what was read has vanished"
            assert set("b") <= set(names(job["outputs"])), "what was written has vanished"
        assert (names(job["inputs"]), names(job["outputs"])) == (inputs, outputs)
        around = await embedded.questions.lineage(JOB, "job", up=1, down=1)
        assert around is not None
        assert {node["name"] for node in around["nodes"]} == {JOB.name, *inputs, *outputs}
        assert (await embedded.questions.evidence(Name("db", "b")))["status"] == "published"
    finally:
        await embedded.stop()


async def test_a_run_in_progress_shows_what_it_reads_and_writes(tmp_path: Path) -> None:
    embedded = Embedded(tmp_path)
    await embedded.start()
    try:
        await embedded.ingest([event("RUNNING", 1, "01T00:00", "a", "b")])
        run = await embedded.questions.run("00000000-0000-4000-8000-000000000001")
        assert run is not None
        assert run["state"] == "RUNNING"
        assert names([one["dataset"] for one in run["inputs"]]) == "a"
        assert [(one["dataset"]["name"], one["status"]) for one in run["outputs"]] == [("b", "candidate")]
        evidence = await embedded.questions.evidence(Name("db", "b"), run["outputs"][0]["version"])
        assert (evidence["status"], evidence["run"], evidence["edges"]) == ("candidate", None, [])
    finally:
        await embedded.stop()
