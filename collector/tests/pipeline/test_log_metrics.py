"""What ``/metrics`` says of the local log."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from headwater.collector.embedded import Embedded
from headwater.shared.log import Record
from headwater.shared.log.local import LocalLog
from headwater.shared.names import METRIC_LOG_BYTES, METRIC_LOG_DAMAGED_BYTES

TOPIC = "platform.lineage.events"


async def test_the_size_of_each_topic_as_it_is_on_the_disk(tmp_path: Path, good: Any) -> None:
    async with Embedded(tmp_path) as embedded:
        assert embedded.metrics.value(METRIC_LOG_BYTES, topic=TOPIC) == 0
        await embedded.ingest([good(1)])
        first = embedded.metrics.value(METRIC_LOG_BYTES, topic=TOPIC)
        await embedded.ingest([good(2), b"poison"])
        on_disk = sum(path.stat().st_size for path in (tmp_path / "log" / TOPIC).glob("*.log"))
        assert 0 < first < embedded.metrics.value(METRIC_LOG_BYTES, topic=TOPIC) == on_disk
        assert embedded.metrics.value(METRIC_LOG_BYTES, topic=f"{TOPIC}.dlq") > 0
        assert f'{METRIC_LOG_BYTES}{{topic="{TOPIC}"}}'.encode() in embedded.metrics.render()


async def test_damage_that_is_passed_over_is_counted(tmp_path: Path, good: Any) -> None:
    log = LocalLog(tmp_path / "log")
    await log.open()
    await log.append(TOPIC, [Record(good(1)), Record(good(2)), Record(good(3))])
    await log.close()
    [segment] = (tmp_path / "log" / TOPIC).glob("*.log")
    whole = segment.read_bytes()
    at = whole.index(good(2))
    segment.write_bytes(whole[:at] + b"?" + whole[at + 1 :])
    async with Embedded(tmp_path) as embedded:
        assert await embedded.drain(timeout_s=20)
        assert (await embedded.questions.counts())["events"] == 2
        damaged = embedded.metrics.value(METRIC_LOG_DAMAGED_BYTES, topic=TOPIC)
        assert damaged == len(whole) // 3
