"""The spool: durable on return, bounded, exact in its accounts, whatever the disk does."""

from __future__ import annotations

import errno
import os
import random
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import RLock

import pytest

from headwater.producer import LineageProducer
from headwater.producer._spool.ack import START, Position, read_ack, write_ack
from headwater.producer._spool.files import lane_names
from headwater.producer._spool.lane import Lane
from headwater.producer._spool.parse import parse
from headwater.producer._spool.reader import LaneReader, OrphanExtent
from headwater.producer._spool.spare import Spare, written_bytes
from headwater.producer._spool.writer import SpoolWriter
from headwater.producer.testing import MemoryTransport
from headwater.shared.clock import ManualClock
from headwater.shared.errors import TransientError
from headwater.shared.log.framing import HEADER_BYTES, frame

Make = Callable[..., LineageProducer]


class DownTransport(MemoryTransport):
    """A server that is not there until ``up``."""

    up = False

    def send(self, batch):  # type: ignore[no-untyped-def]
        if not self.up:
            raise TransientError("down")
        return super().send(batch)


def balanced(producer: LineageProducer) -> bool:
    stats = producer.stats()
    return stats.emitted == stats.delivered + stats.spooled + sum(stats.dropped.values())


def test_what_is_left_is_sent_by_the_next_producer(make_producer: Make) -> None:
    first = make_producer(DownTransport())
    for number in range(100):
        assert first.emit({"n": number})
    assert not first.shutdown(0.05)
    assert first.stats().spooled == 100
    transport = MemoryTransport()
    second = make_producer(transport)
    assert second.flush()
    assert transport.events == [b'{"n":%d}' % number for number in range(100)]
    assert second.stats().adopted == 100
    assert second.stats().emitted == 0


def test_acknowledged_events_are_not_sent_again(make_producer: Make, spool: Path) -> None:
    transport = MemoryTransport()
    first = make_producer(transport)
    for number in range(10):
        first.emit({"n": number})
    assert first.flush()
    (lane,) = lane_names(str(spool))
    copy = spool.parent / "copy"
    shutil.copytree(spool / lane, copy)  # as a SIGKILL now would leave it
    first.forget()
    assert lane_names(str(spool)) == []
    shutil.move(copy, spool / lane)
    second_transport = MemoryTransport()
    second = make_producer(second_transport)
    assert second.flush()
    assert second_transport.events == []
    second.forget()
    assert lane_names(str(spool)) == []


def test_a_producer_that_shut_down_begins_again(make_producer: Make) -> None:
    transport = MemoryTransport()
    producer = make_producer(transport)
    producer.emit({"n": 1})
    assert producer.shutdown()
    assert producer.emit({"n": 2})
    assert producer.flush()
    assert transport.events == [b'{"n":1}', b'{"n":2}']
    assert producer.stats().delivered == 2


def test_segments_roll_and_go_when_they_are_sent(make_producer: Make, spool: Path) -> None:
    transport = DownTransport()
    producer = make_producer(transport, spool_max_bytes=1_000_000)
    for _ in range(300):
        assert producer.emit({"text": "x" * 2000})
    (lane,) = lane_names(str(spool))
    assert len(list((spool / lane).glob("*.seg"))) == 3
    transport.up = True
    assert producer.flush()
    producer.emit({"n": 1})
    assert producer.flush()
    assert len(list((spool / lane).glob("*.seg"))) == 1
    assert len(transport.events) == 301


def test_emptied_segments_are_used_again_and_show_nothing_of_what_they_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("headwater.producer._spool.writer._SEGMENT_BYTES", 4096)
    seed = random.SystemRandom().randrange(2**32)
    print(f"seed {seed}")
    rng = random.Random(seed)
    writer = SpoolWriter(str(tmp_path / "spool"), max_bytes=10**7, lock=RLock(), clock=ManualClock())
    unsent: list[bytes] = []
    reader = used_again = None
    for number in range(1000):
        event = b'{"n":%d,"text":"%s"}' % (number, b"x" * rng.randrange(2000))
        assert writer.append(event) is None
        unsent.append(event)
        assert writer.lane is not None
        reader = reader or LaneReader(writer.lane, writer)
        if rng.random() < 0.5:
            unsent = unsent[len(send_batch(writer, reader)) :]
        if rng.random() < 0.1:
            copy = tmp_path / "killed" / os.path.basename(writer.lane.path)
            shutil.copytree(writer.lane.path, copy)  # as a SIGKILL now would leave it
            assert left_behind(copy) == unsent
            newest = max(copy.glob("*.seg"))
            used_again = used_again or newest.read_bytes().endswith(bytes(100))
            shutil.rmtree(copy)
    assert used_again
    reader.close()
    writer.close(lambda: True)
    assert lane_names(str(tmp_path / "spool")) == []


def send_batch(writer: SpoolWriter, reader: LaneReader) -> list[bytes]:
    batch = reader.next_batch(10)
    if batch is None:
        return []
    assert not batch.damaged
    writer.settled(batch.end.segment, len(batch.events))
    reader.settle(batch)
    return batch.events


def left_behind(path: Path) -> list[bytes]:
    lane = Lane.adopt(str(path))
    assert lane is not None
    reader = LaneReader(lane, OrphanExtent(lane))
    events = []
    while batch := reader.next_batch():
        assert not batch.damaged
        events += batch.events
        reader.settle(batch)
    reader.close()
    lane.release()
    return events


def test_a_spare_that_cannot_be_taken_stays_ours_to_close(tmp_path: Path) -> None:
    lane = Lane.create(str(tmp_path / "spool"))
    fd = lane.open_segment(1)
    os.write(fd, b"x" * 100)
    os.close(fd)
    spare = Spare()
    assert spare.keep(lane, 1, 100)
    spare.zero()
    shutil.rmtree(lane.path)
    with pytest.raises(FileNotFoundError):
        spare.take(lane, 2)
    (kept,) = spare.forget()
    os.close(kept)
    lane.release()


def test_the_zeros_at_the_end_of_a_segment_are_not_part_of_it(tmp_path: Path) -> None:
    path = tmp_path / "1.seg"
    for written, zeros in ((0, 0), (0, 70_000), (5, 0), (5, 65_531), (65_536, 65_536), (70_000, 131_072), (1, 131_071)):
        path.write_bytes(b"\0" * (written - 1) + b"}" * min(written, 1) + bytes(zeros))
        assert written_bytes(str(path)) == written


def test_full_spool_drops_the_newest_and_takes_again_when_there_is_room(make_producer: Make, spool: Path) -> None:
    transport = DownTransport()
    producer = make_producer(transport, spool_max_bytes=200_000)
    taken = [producer.emit({"n": number, "text": "x" * 980}) for number in range(400)]
    stats = producer.stats()
    assert taken == sorted(taken, reverse=True)
    assert stats.dropped == {"spool_full": taken.count(False)}
    assert stats.spooled == taken.count(True) > 180
    assert sum(path.stat().st_size for path in spool.rglob("*.seg")) <= 200_000
    assert balanced(producer)
    assert "200,000 bytes" in (stats.last_error or "") or stats.last_error == "down"
    transport.up = True
    assert producer.flush()
    assert producer.emit({"n": 1})
    assert producer.flush()
    assert len(transport.events) == taken.count(True) + 1
    assert balanced(producer)


def test_the_bound_counts_what_other_processes_left(make_producer: Make) -> None:
    down = make_producer(DownTransport(), spool_max_bytes=100_000)
    while down.emit({"text": "x" * 1000}):
        pass
    down.shutdown(0.01)
    other = make_producer(DownTransport(), spool_max_bytes=100_000)
    assert not other.emit({"text": "x" * 1000})
    assert other.stats().dropped == {"spool_full": 1}


@pytest.fixture
def read_only_path(tmp_path: Path) -> Path:
    """Root may write where others may not, so the directory's parent is a file."""
    blocker = tmp_path / "file"
    blocker.write_text("not a directory")
    return blocker / "spool"


def test_a_spool_that_cannot_be_written(
    make_producer: Make, read_only_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    producer = make_producer(spool_dir=read_only_path)
    assert [producer.emit({"n": number}) for number in range(50)] == [False] * 50
    assert producer.stats().dropped == {"spool_unwritable": 50}
    assert balanced(producer)
    assert len([one for one in caplog.records if "spool_unwritable" in one.getMessage()]) == 1
    assert producer.flush()


def test_an_unwritable_spool_is_tried_again_at_intervals(tmp_path: Path) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("x")
    clock = ManualClock()
    writer = SpoolWriter(str(blocker / "spool"), max_bytes=10**6, lock=RLock(), clock=clock)
    assert writer.append(b"{}") == "spool_unwritable"
    blocker.unlink()
    assert writer.append(b"{}") == "spool_unwritable"
    clock.advance(1.5)
    assert writer.append(b"{}") is None
    writer.close(lambda: True)


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 256 KiB."""
    path = tmp_path / "tiny"
    path.mkdir()
    mounted = shutil.which("mount") and os.geteuid() == 0
    if (
        not mounted
        or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(path)], capture_output=True
        ).returncode
    ):
        pytest.skip("mounting a small tmpfs needs root; the limit of file sizes stands in for it below")
    yield path
    subprocess.run(["umount", "-l", str(path)], check=True)


def test_full_disk(make_producer: Make, tiny_disk: Path) -> None:
    transport = DownTransport()
    producer = make_producer(transport, spool_dir=tiny_disk / "spool")
    taken = [producer.emit({"n": number, "text": "x" * 3000}) for number in range(200)]
    stats = producer.stats()
    assert stats.dropped == {"disk_full": taken.count(False)}
    assert stats.spooled == taken.count(True) > 50
    assert taken.count(False) > 100
    assert balanced(producer)
    transport.up = True
    assert producer.flush()
    assert len(transport.events) == taken.count(True)
    producer.shutdown()
    (tiny_disk / "spool").mkdir(exist_ok=True)
    again = make_producer(transport, spool_dir=tiny_disk / "spool")
    assert again.emit({"n": 1})


def test_file_size_limit_is_a_full_disk_and_the_short_write_is_taken_back(python) -> None:  # type: ignore[no-untyped-def]
    done = python(
        """
        import resource, sys
        from headwater.producer import LineageProducer
        from headwater.producer.testing import MemoryTransport
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
        transport = MemoryTransport()
        producer = LineageProducer(transport=transport, spool_dir="spool")
        taken = [producer.emit({"n": number, "text": "x" * 700}) for number in range(40)]
        stats = producer.stats()
        assert stats.dropped == {"disk_full": taken.count(False)}, stats
        assert producer.flush()
        assert len(transport.events) == taken.count(True) == 13, taken
        assert producer.stats().dropped == {"disk_full": 27}
        """
    )
    assert "disk_full" in done.stderr


def test_every_place_where_a_write_can_be_torn(tmp_path: Path) -> None:
    whole = [b'{"n":%d}' % number for number in range(3)]
    data = b"".join(map(frame, whole))
    for cut in range(len(data)):
        parsed = parse(data[:cut], last=True, max_events=100)
        complete = [event for index, event in enumerate(whole) if cut >= len(b"".join(map(frame, whole[: index + 1])))]
        assert parsed.events == complete
        assert parsed.consumed == cut
        assert parsed.damaged == (cut not in (0, *(len(b"".join(map(frame, whole[:n]))) for n in (1, 2, 3))))


def test_damage_costs_the_damaged_events_alone() -> None:
    rng = random.Random(7)
    for _ in range(300):
        events = [bytes(rng.randrange(32, 127) for _ in range(rng.randrange(1, 60))) for _ in range(10)]
        frames = [bytearray(frame(event)) for event in events]
        victim = rng.randrange(10)
        frames[victim][rng.randrange(len(frames[victim]))] ^= 1 + rng.randrange(255)
        parsed = parse(b"".join(map(bytes, frames)), last=True, max_events=100)
        assert parsed.events == [event for index, event in enumerate(events) if index != victim]
        assert parsed.damaged >= 1


def test_damage_in_an_orphan_is_counted_and_passed_over(make_producer: Make, spool: Path) -> None:
    first = make_producer(DownTransport())
    for number in range(5):
        first.emit({"n": number})
    first.shutdown(0.01)
    (segment,) = spool.rglob("*.seg")
    data = bytearray(segment.read_bytes())
    data[HEADER_BYTES + 2] ^= 0xFF
    segment.write_bytes(bytes(data) + frame(b'{"n":5}')[:-2])
    transport = MemoryTransport()
    second = make_producer(transport)
    assert second.flush()
    assert transport.events == [b'{"n":%d}' % number for number in range(1, 5)]
    assert second.stats().adopted == 4
    assert second.stats().adopted_dropped == {"damaged": 2}
    assert lane_names(str(spool)) == []


def test_damage_in_the_own_lane_is_in_the_accounts(make_producer: Make, spool: Path) -> None:
    transport = DownTransport()
    producer = make_producer(transport)
    for number in range(5):
        producer.emit({"n": number})
    (segment,) = spool.rglob("*.seg")
    with open(segment, "r+b") as file:
        file.seek(HEADER_BYTES + 2)
        file.write(b"\xff")
    transport.up = True
    assert producer.flush()
    producer.emit({"n": 5})
    assert producer.flush()
    stats = producer.stats()
    assert stats.emitted == 6
    assert stats.delivered + stats.dropped.get("damaged", 0) == 6
    assert stats.delivered >= 5  # the sender may have read the first batch before the damage
    assert balanced(producer)


def test_a_deleted_spool_is_told_and_begun_again(make_producer: Make, spool: Path) -> None:
    transport = DownTransport()
    producer = make_producer(transport)
    producer.emit({"n": 1})
    shutil.rmtree(spool)
    producer.flush(0.05)
    transport.up = True
    producer.flush(3)
    assert producer.emit({"n": 2})
    assert producer.flush()
    stats = producer.stats()
    assert stats.delivered + stats.dropped.get("spool_lost", 0) == stats.emitted == 2
    assert b'{"n":2}' in transport.events


def test_many_orphans_are_sent_the_oldest_first(make_producer: Make, spool: Path) -> None:
    for number in range(40):
        lane = Lane.create(str(spool))
        fd = lane.open_segment(1)
        os.write(fd, frame(b'{"n":%d}' % number))
        os.close(fd)
        lane.release()
    transport = MemoryTransport()
    producer = make_producer(transport)
    assert producer.flush()
    assert transport.events == [b'{"n":%d}' % number for number in range(40)]
    assert lane_names(str(spool)) == []


def test_a_lane_whose_owner_lives_is_left_alone(make_producer: Make) -> None:
    one = make_producer(DownTransport())
    one.emit({"n": 1})
    transport = MemoryTransport()
    other = make_producer(transport)
    assert other.flush()
    assert transport.events == []


def test_foreign_files_in_the_spool_are_left_alone(make_producer: Make, spool: Path) -> None:
    (spool / "mine").mkdir(parents=True)
    (spool / "mine" / "lock").write_text("")
    (spool / "notes.txt").write_text("x")
    producer = make_producer()
    producer.emit({"n": 1})
    assert producer.shutdown()
    assert sorted(path.name for path in spool.iterdir()) == ["mine", "notes.txt"]


def test_only_the_owner_may_read_the_spool(make_producer: Make, spool: Path) -> None:
    producer = make_producer(DownTransport())
    producer.emit({"n": 1})
    modes = {path.name: path.stat().st_mode & 0o777 for path in spool.rglob("*")}
    assert {mode for name, mode in modes.items() if name.endswith(".seg") or name in ("ack", "lock")} == {0o600}
    assert spool.stat().st_mode & 0o777 == 0o700


def test_ack_survives_nonsense(tmp_path: Path) -> None:
    fd = os.open(tmp_path / "ack", os.O_RDWR | os.O_CREAT)
    try:
        assert read_ack(fd) == START
        write_ack(fd, Position(7, 1 << 40))
        assert read_ack(fd) == Position(7, 1 << 40)
        os.pwrite(fd, b"x", 9)
        assert read_ack(fd) == START
    finally:
        os.close(fd)


def test_frames_larger_than_a_piece(tmp_path: Path) -> None:
    lane = Lane.create(str(tmp_path / "spool"))
    fd = lane.open_segment(1)
    events = [b"a" * 10, b"b" * 1_500_000, b"c" * 10]
    for event in events:
        os.write(fd, frame(event))
    os.close(fd)
    reader = LaneReader(lane, OrphanExtent(lane))
    seen: list[bytes] = []
    while (batch := reader.next_batch()) is not None:
        seen += batch.events
        reader.settle(batch)
    assert seen == events
    reader.close()
    lane.remove()


class ShortWrites(SpoolWriter):
    """A disk that takes half of a write, lets ``during`` happen, and then says that it is full."""

    during: Callable[[], None] | None = None

    def _write(self, segment, data):  # type: ignore[no-untyped-def]
        during, self.during = self.during, None
        if during is None:
            return super()._write(segment, data)
        writes = self._writes
        written = os.write(segment.fd, data[: len(data) // 2])
        during()
        return self._cut(segment, data, written, writes)


def read_all(writer: SpoolWriter) -> tuple[list[bytes], int]:
    assert writer.lane is not None
    data = Path(writer.lane.segment_path(1)).read_bytes()
    parsed = parse(data, last=True, max_events=1000)
    return parsed.events, parsed.damaged


@pytest.fixture
def short_writer(tmp_path: Path) -> Iterator[ShortWrites]:
    writer = ShortWrites(str(tmp_path / "spool"), max_bytes=10**7, lock=RLock(), clock=ManualClock())
    assert writer.append(b"first") is None
    yield writer
    writer.close(lambda: True)


def test_a_short_write_is_finished_when_the_rest_fits(short_writer: ShortWrites) -> None:
    short_writer.during = lambda: None
    assert short_writer.append(b"second") is None
    assert read_all(short_writer) == ([b"first", b"second"], 0)


def test_an_append_nested_in_a_short_write_is_kept(short_writer: ShortWrites) -> None:
    nested: list[str | None] = []
    short_writer.during = lambda: nested.append(short_writer.append(b"nested"))
    assert short_writer.append(b"second") == "disk_full"
    assert nested == [None]
    assert short_writer.append(b"third") is None
    assert read_all(short_writer) == ([b"first", b"nested", b"third"], 1)
    assert short_writer.end().offset == os.stat(short_writer.lane.segment_path(1)).st_size  # type: ignore[union-attr]


def test_a_full_disk_in_the_middle_of_a_write(short_writer: ShortWrites, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write

    def full(fd: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    short_writer.during = lambda: monkeypatch.setattr(os, "write", full)
    assert short_writer.append(b"second") == "disk_full"
    assert short_writer.append(b"third") == "disk_full"
    monkeypatch.setattr(os, "write", real)
    assert short_writer.append(b"fourth") is None
    assert read_all(short_writer) == ([b"first", b"fourth"], 0)
