"""SIGKILL at any moment: what ``emit`` said True to is delivered by the next process."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from headwater.producer import LineageProducer
from headwater.producer._spool.files import lane_names
from headwater.producer.testing import MemoryTransport

Make = Callable[..., LineageProducer]

EMITTER = """
import os, sys, time
from headwater.producer import configure, emit
import headwater.producer._spool.writer as writer
life, log, spool = sys.argv[1:]
if int(life) % 2:  # so small that segments are used again before the kill
    writer._SEGMENT_BYTES = 8192
configure(url=log, spool_dir=spool, spool_max_bytes=4_000_000)
number = 0
while True:
    if emit({"life": int(life), "n": number, "text": "x" * 200}):
        os.write(1, b"%d\\n" % number)
    number += 1
    if number % 50 == 0:
        time.sleep(0.002)
"""


def read_log(directory: Path) -> list[dict[str, int]]:
    from headwater.shared.log.segments import SegmentLog

    log = SegmentLog(directory)
    reader = log.reader()
    records = []
    try:
        while batch := list(reader.read(max_records=10_000, max_bytes=10**8)):
            records += batch
    finally:
        reader.close()
        log.close()
    return [json.loads(record.value) for record in records]


def test_a_dozen_kills(
    tmp_path: Path, spool: Path, make_producer: Make, environment: Callable[..., dict[str, str]]
) -> None:
    seed = int(os.environ.get("HEADWATER_TEST_SEED", "0")) or random.SystemRandom().randrange(2**32)
    print(f"HEADWATER_TEST_SEED={seed}")
    rng = random.Random(seed)
    log = f"file://{tmp_path}/log"
    acknowledged: set[tuple[int, int]] = set()
    for life in range(12):
        child = subprocess.Popen(
            [sys.executable, "-c", EMITTER, str(life), log, str(spool)],
            stdout=subprocess.PIPE,
            env=environment(),
            start_new_session=True,
        )
        assert child.stdout is not None
        first = child.stdout.readline()
        time.sleep(rng.uniform(0, 0.15))
        child.send_signal(signal.SIGKILL)
        rest = child.stdout.read()
        child.wait()
        child.stdout.close()
        lines = (first + rest).split(b"\n")[:-1]
        acknowledged |= {(life, int(line)) for line in lines}
    last = make_producer(url=log)
    assert last.flush(30)
    assert last.stats().adopted_dropped == {}
    last.forget()
    delivered = [(event["life"], event["n"]) for event in read_log(tmp_path / "log" / "platform.lineage.events")]
    assert acknowledged - set(delivered) == set()
    # At most the one event of each life whose True was on its way when the kill came was not acknowledged.
    assert len(set(delivered) - acknowledged) <= 12
    assert len({life for life, _ in acknowledged}) == 12
    assert lane_names(str(spool)) == []


@pytest.mark.parametrize("seed", range(5))
def test_an_orphan_cut_at_any_byte_gives_every_whole_event(spool: Path, make_producer: Make, seed: int) -> None:
    """As a power cut may leave it: acknowledged events are those whose frame is whole."""
    from headwater.producer._spool.lane import Lane
    from headwater.shared.log.framing import frame

    rng = random.Random(seed)
    events = [b'{"n":%d,"text":"%s"}' % (n, b"x" * rng.randrange(200)) for n in range(50)]
    ends = [len(b"".join(map(frame, events[: n + 1]))) for n in range(50)]
    cut = rng.randrange(ends[-1])
    lane = Lane.create(str(spool))
    fd = lane.open_segment(1)
    os.write(fd, b"".join(map(frame, events))[:cut])
    os.close(fd)
    lane.release()
    transport = MemoryTransport()
    producer = make_producer(transport)
    assert producer.flush()
    assert transport.events == [event for event, end in zip(events, ends, strict=True) if end <= cut]
