"""Several processes on one topic: no loss, no duplicate, whoever is killed."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from headwater.shared.log import Record
from headwater.shared.log.local import LocalLog
from headwater.shared.log.segments import SegmentLog

WRITER = """
import os, sys
from headwater.shared.log import Record
from headwater.shared.log.segments import SegmentLog
directory, name, count, batch = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
log = SegmentLog(directory, fsync=False, segment_bytes=100_000, max_bytes=1 << 30)
print("ready", flush=True)
sys.stdin.readline()
done = 0
while done < count:
    log.append([Record(b"%s:%d:" % (name.encode(), done + i) + b"x" * (done % 700)) for i in range(batch)])
    done += batch
    os.write(1, b"%d\\n" % done)  # acknowledged
"""


def start(directory: Path, name: str, count: int, batch: int = 1) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(directory), name, str(count), str(batch)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout
    assert process.stdout.readline() == b"ready\n"
    return process


def go(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin
    process.stdin.write(b"\n")
    process.stdin.close()


def acknowledged(process: subprocess.Popen[bytes]) -> int:
    assert process.stdout
    lines = process.stdout.read().split(b"\n")
    process.stdout.close()
    process.wait()
    whole = [int(line) for line in lines[:-1] if line]
    return max(whole, default=0)


async def test_four_writers_and_a_reader(tmp_path: Path) -> None:
    writers = [start(tmp_path / "t", str(n), 500) for n in range(4)]
    log = LocalLog(tmp_path, fsync=False)
    consumer = log.consumer("g", ["t"])
    for writer in writers:
        go(writer)
    seen: list[tuple[int, bytes]] = []
    deadline = time.monotonic() + 50
    while len(seen) < 2000 and time.monotonic() < deadline:
        records = await consumer.next_batch(max_records=100, max_bytes=1 << 20, timeout_s=0.5)
        seen += [(record.offset, record.value.rsplit(b":", 1)[0]) for record in records]
    assert [acknowledged(writer) for writer in writers] == [500] * 4
    assert [offset for offset, _ in seen] == list(range(2000))
    for n in range(4):  # each writer's records in its own order
        own = [value for _, value in seen if value.startswith(b"%d:" % n)]
        assert own == [b"%d:%d" % (n, i) for i in range(500)]
    assert consumer.damaged_bytes() == 0
    await log.close()


@pytest.mark.parametrize("batch", [1, 50])
def test_sigkill_in_the_middle_of_appends(tmp_path: Path, batch: int) -> None:
    seed = int(os.environ.get("SEED", random.randrange(1 << 32)))
    print("SEED", seed)
    rng = random.Random(seed)
    kept: dict[str, int] = {}
    for round_number in range(6):
        names = [f"{round_number}-{n}" for n in range(2)]
        writers = [start(tmp_path / "t", name, 1_000_000, batch) for name in names]
        for writer in writers:
            go(writer)
        time.sleep(rng.uniform(0.005, 0.08))
        for writer in writers:
            writer.send_signal(signal.SIGKILL)
        for name, writer in zip(names, writers, strict=True):
            kept[name] = acknowledged(writer)
    log = SegmentLog(tmp_path / "t", fsync=False)
    log.append([Record(b"end:0:")])
    reader = log.reader()
    offsets: list[int] = []
    counts: Counter[str] = Counter()
    last: dict[str, int] = {}
    while records := reader.read(1000):
        for record in records:
            offsets.append(record.offset)
            name, number, _ = record.value.decode().split(":")
            assert int(number) == last.get(name, -1) + 1  # none missing, none twice, in order
            last[name] = int(number)
            counts[name] += 1
    assert offsets == list(range(len(offsets)))
    assert reader.damaged_bytes == 0
    for name, number in kept.items():
        assert counts[name] >= number
    assert sum(kept.values()) > 0
    reader.close()
    log.close()
