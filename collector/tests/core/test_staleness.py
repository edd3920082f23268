"""The stale policy in a collector: its event, said once, and a late end that wins."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

from headwater.collector.embedded import Embedded
from headwater.collector.interruption import interruption_event
from headwater.collector.settings import Settings
from headwater.collector.staleness import StalePolicy, stale_runs
from headwater.shared import times
from headwater.shared.clock import ManualClock
from headwater.shared.codec import decode
from headwater.shared.event import Name

JOB = Name("jobs", "load")
RUNS = [f"00000000-0000-4000-8000-{number:012d}" for number in range(4)]


def event(run: str, word: str, time: str) -> bytes:
    body: dict[str, Any] = {
        "eventType": word, "eventTime": time, "producer": "https://example.org", "schemaURL": "https://example.org/1",
        "run": {"runId": run}, "job": {"namespace": "jobs", "name": "load"}, "inputs": [], "outputs": [],
    }  # fmt: skip
    return json.dumps(body).encode()


async def test_the_policy_interrupts_and_a_late_end_wins(tmp_path: Path) -> None:
    clock = ManualClock(times.to_epoch_s(times.parse("2026-01-02T00:00:00Z")))
    async with Embedded(tmp_path, clock=clock) as embedded:
        await embedded.ingest([
            event(RUNS[0], "START", "2026-01-01T10:00:00Z"), event(RUNS[0], "RUNNING", "2026-01-01T11:00:00Z"),
            event(RUNS[1], "START", "2026-01-01T10:00:00Z"), event(RUNS[1], "COMPLETE", "2026-01-01T11:00:00Z"),
            event(RUNS[2], "START", "2026-01-01T23:30:00Z"),
            event(RUNS[3], "START", "2026-01-01T09:00:00Z"), event(RUNS[3], "RUNNING", "2026-01-01T23:59:00Z"),
        ])  # fmt: skip
        policy = StalePolicy(
            embedded.manager.reader,
            embedded.log,
            embedded.topics.main,
            after=timedelta(hours=1),
            clock=clock,
        )
        assert await policy.judge() == 1
        await embedded.drain(timeout_s=30)
        assert await policy.judge() == 0, "an interrupted run is not judged again"
        run = await embedded.questions.run(RUNS[0])
        assert run is not None
        assert (run["state"], run["lastSeen"], run["ended"]) == ("INTERRUPTED", "2026-01-01T11:00:00Z", None)
        assert "nothing was heard" in run["interruption"]
        assert [row["runId"] for row in (await embedded.questions.runs(status="RUNNING"))["runs"]] == [RUNS[2], RUNS[3]]
        await embedded.ingest([event(RUNS[0], "COMPLETE", "2026-01-01T10:30:00Z")])
        run = await embedded.questions.run(RUNS[0])
        assert run is not None
        assert (run["state"], run["contradiction"], run["interruption"]) == ("COMPLETED", False, None)


async def test_stale_runs_are_found_behind_any_number_of_live_ones(tmp_path: Path) -> None:
    async with Embedded(tmp_path) as embedded:
        live = [
            event(
                f"00000000-0000-4000-9000-{number:012d}", "START", f"2026-01-01T09:{number % 60:02}:{number // 60:02}Z"
            )
            for number in range(1100)
        ]
        live += [raw.replace(b"START", b"RUNNING").replace(b"T09:", b"T19:") for raw in live]
        await embedded.ingest([event(RUNS[0], "START", "2026-01-01T08:00:00Z"), *live], timeout_s=60)
        found = await stale_runs(embedded.questions.reader, times.parse("2026-01-01T20:00:00Z"), timedelta(hours=2), 10)
        assert [(run.run, run.job) for run in found] == [(RUNS[0], JOB)]


def test_collectors_that_judge_alike_say_one_event() -> None:
    last = times.parse("2026-01-01T11:00:00.123456789Z")
    said = [interruption_event(RUNS[0], JOB, last, timedelta(hours=1)) for _ in range(2)]
    assert len({decode(json.dumps(each).encode()).event_id for each in said}) == 1
    assert said[0]["eventTime"] == "2026-01-01T12:00:00.123456789Z"


async def test_the_setting_switches_it_on(tmp_path: Path) -> None:
    settings = Settings.model_validate({"lineage": {"collector": {"stale_after_s": 3600, "stale_every_s": 1}}})
    async with Embedded(tmp_path, settings=settings) as embedded:
        await embedded.ingest([event(RUNS[0], "START", "2026-01-01T10:00:00Z")])
        for _ in range(100):
            run = await embedded.questions.run(RUNS[0])
            if run is not None and run["state"] == "INTERRUPTED":
                break
            await asyncio.sleep(0.1)
        else:
            raise AssertionError("nothing was said of the run")
