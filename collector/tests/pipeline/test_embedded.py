"""The embedded collector on a real directory: local log, SQLite, one process."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from headwater.collector.embedded import Embedded
from headwater.collector.pipeline import Outcome
from headwater.collector.settings import Settings
from headwater.shared.errors import ConfigurationError
from headwater.shared.log import Record
from headwater.shared.log.local import LocalLog


def _run(number: int) -> str:
    return f"00000000-0000-7000-8000-{number:012x}"


async def test_what_was_ingested_can_be_read_at_once(tmp_path: Path, good: Any) -> None:
    async with Embedded(tmp_path / "d") as embedded:
        [stored] = await embedded.ingest([good(1)])
        assert stored.outcome is Outcome.STORED
        run = await embedded.questions.run(_run(1))
        assert run is not None
        assert run["state"] == "COMPLETED"
        mixed = await embedded.ingest([good(2), b"poison", good(3)])
        assert [s.outcome for s in mixed] == [Outcome.STORED, Outcome.DEAD_LETTER, Outcome.STORED]
        assert await embedded.ingest([]) == []
        assert await embedded.dead_letters.count() == 1
        readiness = await embedded.readiness()
        assert readiness.ready
        assert readiness.checks["store sql"] == "ok"
        assert b"headwater_events_settled_total" in embedded.metrics.render()


async def test_it_goes_on_where_it_stopped_and_takes_up_what_others_appended(tmp_path: Path, good: Any) -> None:
    async with Embedded(tmp_path) as embedded:
        await embedded.ingest([good(1)])
    log = LocalLog(tmp_path / "log")
    await log.open()
    await log.append("platform.lineage.events", [Record(good(n)) for n in range(2, 40)])
    await log.close()
    async with Embedded(tmp_path) as embedded:
        assert await embedded.drain(timeout_s=20)
        assert (await embedded.questions.counts())["events"] == 39
        batches = embedded.metrics.value("headwater_events_received_total", topic="platform.lineage.events")
        assert batches == 38  # the first was committed


async def test_only_one_collector_works_on_a_directory(tmp_path: Path, good: Any) -> None:
    async with Embedded(tmp_path) as embedded:
        second = Embedded(tmp_path)
        with pytest.raises(ConfigurationError, match=f"pid {os.getpid()}.*--dir"):
            await second.start()
        await second.stop()
        assert [s.outcome for s in await embedded.ingest([good(1)])] == [Outcome.STORED]
    async with Embedded(tmp_path):
        pass


async def test_a_composite_of_sql_and_logging(tmp_path: Path, good: Any, capsys: pytest.CaptureFixture[str]) -> None:
    settings = Settings(lineage={"store": {"backend": "composite", "backends": ["sql", "logging"]}})
    async with Embedded(tmp_path, settings=settings) as embedded:
        assert [s.outcome for s in await embedded.ingest([good(1)])] == [Outcome.STORED]
        assert await embedded.questions.run(_run(1)) is not None
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines() if "lineage_event" in line]
    assert len(lines) == 1


async def test_without_a_readable_store_it_does_not_start_and_leaves_nothing_open(tmp_path: Path) -> None:
    embedded = Embedded(tmp_path, settings=Settings(lineage={"store": {"backend": "logging"}}))
    with pytest.raises(ConfigurationError, match="none of these stores can be read"):
        await embedded.start()
    with pytest.raises(RuntimeError, match="not started"):
        _ = embedded.questions
    async with Embedded(tmp_path):
        pass


async def test_a_directory_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match="cannot be written"):
        await Embedded(tmp_path / "file" / "d").start()
