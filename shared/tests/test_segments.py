"""The segment files: torn tails, damage, bounds, retention, forks, and what the operating system refuses."""

from __future__ import annotations

import errno
import os
import random
import resource
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater.shared.clock import ManualClock
from headwater.shared.errors import ConfigurationError, LogFullError, PermanentError, TransientError
from headwater.shared.log import Record, StoredRecord
from headwater.shared.log.framing import MAGIC, frame
from headwater.shared.log.groups import GroupOffsets
from headwater.shared.log.groupsync import GroupSync
from headwater.shared.log.payload import decode, encode
from headwater.shared.log.segments import SegmentLog


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "topic"


def make(directory: Path, **options: object) -> SegmentLog:
    return SegmentLog(directory, **({"fsync": False, "clock": ManualClock()} | options))  # type: ignore[arg-type]


def read_all(log: SegmentLog, offset: int = 0) -> list[StoredRecord]:
    reader = log.reader(offset)
    try:
        records = []
        while found := reader.read(7):
            records += found
        return records
    finally:
        reader.close()


def segments(directory: Path) -> list[Path]:
    return sorted(directory.glob("*.log"))


def test_torn_tails(directory: Path, tmp_path: Path) -> None:
    """1,000 times: a writer dies in the middle of a write. What was there before stays, and appending goes on."""
    seed = int(os.environ.get("SEED", random.randrange(1 << 32)))
    print("SEED", seed)
    rng = random.Random(seed)
    log = make(directory)
    base = [Record(rng.randbytes(rng.randrange(200)), b"k", (("h", b"v"),)) for _ in range(20)]
    log.append(base)
    log.close()
    (segment,) = segments(directory)
    sound = segment.read_bytes()
    for _ in range(1000):
        work = tmp_path / "work"
        shutil.copytree(directory, work)
        next_frame = frame(encode(Record(rng.randbytes(rng.randrange(300))), 20, 0))
        kind = rng.randrange(4)
        if kind == 0:  # a frame cut anywhere
            torn = next_frame[: rng.randrange(len(next_frame))]
        elif kind == 1:  # garbage, with and without the mark
            torn = rng.randbytes(rng.randrange(100)) + (MAGIC if rng.random() < 0.5 else b"") + rng.randbytes(20)
        elif kind == 2:  # whole frames, then a cut one
            more = frame(encode(Record(b"second"), 21, 0))
            torn = next_frame + more[: rng.randrange(len(more))]
        else:  # zeros, as some file systems leave
            torn = bytes(rng.randrange(200))
        (work / segment.name).write_bytes(sound + torn)
        if rng.random() < 0.3:  # the tail was not written either, or is damaged
            (work / "tail").write_bytes(b"" if rng.random() < 0.5 else rng.randbytes(28))
        log = make(work)
        (offset,) = log.append([Record(b"after")])
        assert offset == (21 if kind == 2 else 20)
        found = read_all(log)
        assert [r.offset for r in found] == list(range(offset + 1))
        assert [Record(r.value, r.key, r.headers) for r in found[:20]] == base
        assert found[-1].value == b"after"
        log.close()
        shutil.rmtree(work)


def test_records_cut_off_by_a_power_cut_do_not_give_their_offsets_to_others(directory: Path) -> None:
    log = make(directory)
    log.append([Record(b"%d" % n) for n in range(10)])
    log.close()
    (segment,) = segments(directory)
    os.truncate(segment, segment.stat().st_size - 5)
    log = make(directory)
    assert list(log.append([Record(b"new")])) == [10]
    assert [r.offset for r in read_all(log)] == [*range(9), 10]
    log.close()
    # The tail is lost too, but a group has seen offset 12.
    (directory / "tail").unlink()
    log = make(directory)
    log.commit("g", 12)
    assert list(log.append([Record(b"newer")])) == [12]
    assert [r.offset for r in read_all(log)] == [*range(9), 10, 12]
    log.close()


def test_a_tail_from_before_a_power_cut_is_not_believed(directory: Path) -> None:
    log = make(directory, max_bytes=4000, segment_bytes=1000)
    log.append([Record(b"x" * 400)])
    old_tail = (directory / "tail").read_bytes()
    for _ in range(3):
        log.append([Record(b"x" * 400)])
    log.close()
    assert len(segments(directory)) == 2
    (directory / "tail").write_bytes(old_tail)
    log = make(directory)
    assert list(log.append([Record(b"y")])) == [4]
    assert [r.offset for r in read_all(log)] == [0, 1, 2, 3, 4]
    log.close()


@pytest.mark.parametrize("where", ["payload", "length", "magic", "last", "first"])
def test_damage_is_passed_over_and_counted(directory: Path, where: str) -> None:
    heard: list[tuple[str, int, int]] = []
    log = make(directory, on_damage=lambda *damage: heard.append(damage))
    log.append([Record(b"%03d" % n * 50) for n in range(10)])
    (segment,) = segments(directory)
    size = segment.stat().st_size // 10
    victim = {"last": 9, "first": 0}.get(where, 4)
    shift = {"length": 6, "magic": 1}.get(where, 40)
    with segment.open("r+b") as file:
        file.seek(victim * size + shift)
        byte = file.read(1)
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte[0] ^ 0xFF]))
    reader = log.reader()
    records = reader.read(100)
    assert [r.offset for r in records] == [n for n in range(10) if n != victim]
    assert reader.read(100) == []
    assert reader.damaged_bytes == size == sum(length for _, _, length in heard)
    assert heard[0][:2] == (str(segment), victim * size)
    assert list(log.append([Record(b"more")])) == [10]
    assert [r.offset for r in reader.read(100)] == [10]
    reader.close()
    log.close()
    # A new process that has lost the tail scans past the damage and keeps what is behind it.
    (directory / "tail").unlink()
    log = make(directory)
    assert list(log.append([Record(b"and more")])) == [11]
    assert [r.offset for r in read_all(log)] == [n for n in range(12) if n != victim]
    log.close()


def test_a_frame_inside_a_dead_letter_is_not_mistaken_for_a_record(directory: Path) -> None:
    log = make(directory)
    inner = frame(encode(Record(b"fake"), 7_000, 0))
    log.append([Record(b"before"), Record(b"poison" + inner + b"tail"), Record(b"after")])
    assert [r.value[:6] for r in read_all(log)] == [b"before", b"poison", b"after"]
    log.close()
    (segment,) = segments(directory)
    os.truncate(segment, segment.read_bytes().index(inner) + len(inner))  # torn behind the inner frame
    (directory / "tail").unlink()
    log = make(directory)
    assert list(log.append([Record(b"next")])) == [1]
    assert [r.value for r in read_all(log)] == [b"before", b"next"]
    log.close()


def test_large_records_and_many_segments(directory: Path) -> None:
    log = make(directory, max_bytes=1 << 30, segment_bytes=3 << 20)
    sizes = [0, 1, (1 << 20) - 1, 1 << 20, 5 << 20, 10, 2 << 20, 2 << 20, 100]
    for n, size in enumerate(sizes):
        log.append([Record(bytes([n]) * size)])
    assert [len(r.value) for r in read_all(log)] == sizes
    assert len(segments(directory)) >= 4
    assert [r.offset for r in read_all(log, 6)] == [6, 7, 8]
    log.close()


def append_until_full(log: SegmentLog) -> None:
    for _ in range(100):
        log.append([Record(b"x" * 450)])


def test_bounded_size_deletes_only_what_all_groups_have_passed(directory: Path) -> None:
    log = make(directory, max_bytes=10_000, segment_bytes=2_000)
    with pytest.raises(LogFullError, match="no collector has read from it yet"):
        append_until_full(log)
    assert log.size_bytes() <= 10_000
    end = log.bounds()[1]
    log.commit("fast", end)
    log.commit("slow", 5)
    with pytest.raises(LogFullError, match=r"group slow has read up to 5 of \d\d$"):
        append_until_full(log)
    first, following = log.bounds()
    assert 0 < first <= 5
    assert following > end
    log.forget_group("slow")
    log.commit("fast", following)
    for _ in range(100):
        log.append([Record(b"x" * 450)])
        log.commit("fast", log.bounds()[1])
        assert log.size_bytes() <= 10_000
    log.close()


def test_retention_deletes_old_segments_that_all_have_read(directory: Path) -> None:
    clock = ManualClock(os.stat(directory.parent).st_mtime)
    log = make(directory, clock=clock, max_bytes=100_000, segment_bytes=1_000, retention_s=60)
    for _ in range(10):
        log.append([Record(b"x" * 600)])
    assert log.expire() == 0
    clock.advance(120)
    assert log.expire() == 0  # nobody has read anything
    log.commit("g", 5)
    assert log.expire() == 5
    assert log.bounds() == (5, 10)
    log.commit("g", 10)
    assert log.expire() == 4  # the open segment stays
    log.append([Record(b"x" * 600)])
    assert log.bounds() == (10, 11)  # deleted when a segment is begun, too
    log.close()


def test_a_reader_survives_the_deletion_of_its_segment(directory: Path) -> None:
    log = make(directory, segment_bytes=1_000, max_bytes=100_000)
    for n in range(10):
        log.append([Record(b"%d" % n * 600)])
    reader = log.reader()
    assert [r.offset for r in reader.read(2)] == [0, 1]
    log.delete_before(8)
    assert [r.offset for r in reader.read(100)] == [8, 9]
    assert [r.offset for r in read_all(log, 3)] == [8, 9]
    reader.close()
    log.close()


def test_a_deleted_directory_is_noticed_by_writer_and_reader(directory: Path) -> None:
    log = make(directory)
    log.append([Record(b"old"), Record(b"old")])
    reader = log.reader()
    assert len(reader.read(10)) == 2
    shutil.rmtree(directory)
    with pytest.raises(TransientError, match="was deleted while in use"):
        log.append([Record(b"lost?")])
    assert list(log.append([Record(b"new")])) == [0]
    assert [r.value for r in reader.read(10)] == [b"new"]
    reader.close()
    log.close()


@pytest.fixture
def small_files() -> Iterator[int]:
    """The operating system takes no more than this of any file, as a full disk would."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    limit = 20_000
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    yield limit
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_full_disk_takes_nothing_half(directory: Path, small_files: int) -> None:
    log = make(directory)
    log.append([Record(b"x" * 9_000)])
    with pytest.raises(TransientError, match="free some space"):
        log.append([Record(b"y" * 6_000), Record(b"z" * 6_000)])
    assert segments(directory)[0].stat().st_size < 10_000
    assert [r.value[:1] for r in read_all(log)] == [b"x"]
    assert list(log.append([Record(b"y" * 6_000)])) == [1]
    assert [r.value[:1] for r in read_all(log)] == [b"x", b"y"]
    log.close()


def test_wrong_directories_are_named_with_a_remedy(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    log = make(file / "topic")
    with pytest.raises(ConfigurationError, match="choose another directory"):
        log.open()
    with pytest.raises(TransientError, match="file"):
        log.append([Record(b"x")])
    with pytest.raises(TransientError):
        log.commit("g", 1)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_directory(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(ConfigurationError, match="permission denied"):
            make(tmp_path / "topic").open()
    finally:
        tmp_path.chmod(0o700)


def test_records_that_fit_no_log(directory: Path) -> None:
    log = make(directory, max_bytes=10_000)
    with pytest.raises(PermanentError, match="10,000 bytes"):
        log.append([Record(b"x" * 10_001)])
    with pytest.raises(PermanentError, match="no frame can hold"):
        log.append([Record(b"", None, (("n" * 70_000, b""),))])
    log.close()


def test_payload_that_is_no_record() -> None:
    with pytest.raises(ValueError, match="no record"):
        decode(b"short", "t")
    payload = encode(Record(b"v", b"k", (("name", b"content"),)), 1, 2)
    for length in range(len(payload) - 1):
        try:
            decode(payload[:length], "t")
        except ValueError:
            pass


def test_a_damaged_commit_only_redelivers(directory: Path) -> None:
    groups = GroupOffsets(str(directory))
    assert groups.read("g") is None
    groups.write("g", 41)
    groups.write("g", 7)
    assert groups.read("g") == 7
    assert groups.all() == {"g": 7}
    (path,) = (directory / "groups").iterdir()
    for damaged in (b"", b"00000000000000000009 00000000\n", b"7\n", path.read_bytes()[:-3]):
        path.write_bytes(damaged)
        assert groups.read("g") is None
        assert groups.all() == {"g": 0}
    groups.write("../g é", 3)
    assert groups.read("../g é") == 3
    assert all(each.parent == directory / "groups" for each in (directory / "groups").iterdir())
    groups.forget("g")
    groups.forget("g")
    assert list(groups.all().values()) == [3]


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_of_fork_has_its_own_lock(directory: Path) -> None:
    log = make(directory)
    log.append([Record(b"parent")])
    child = os.fork()
    if child == 0:
        try:
            for _ in range(200):
                log.append([Record(b"child")])
        finally:
            os._exit(0)
    for _ in range(200):
        log.append([Record(b"parent")])
    os.waitpid(child, 0)
    found = read_all(log)
    assert [r.offset for r in found] == list(range(401))
    assert sum(r.value == b"child" for r in found) == 200
    log.close()


def test_threads_share_fsyncs(directory: Path) -> None:
    log = make(directory, fsync=True)
    log.append([Record(b"first")])

    def work() -> None:
        for _ in range(25):
            log.append([Record(b"x")])

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [r.offset for r in read_all(log)] == list(range(201))
    log.close()


def test_a_sync_that_began_later_covers_earlier_writers(tmp_path: Path) -> None:
    sync = GroupSync()
    fd = os.open(tmp_path / "file", os.O_RDWR | os.O_CREAT)
    first, second = sync.written(), sync.written()
    sync.wait(second, fd)
    sync.wait(first, fd)
    assert sync.syncs == 1
    third = sync.written()
    sync.now_durable()
    sync.wait(third, -1)
    assert sync.syncs == 1
    os.close(fd)


def test_a_failed_sync_fails_everyone_it_covered(tmp_path: Path) -> None:
    sync = GroupSync()
    fd = os.open(tmp_path / "file", os.O_RDWR | os.O_CREAT)
    early, late = sync.written(), sync.written()
    pipe = os.pipe()
    with pytest.raises(OSError) as caught:
        sync.wait(late, pipe[0])
    assert caught.value.errno == errno.EINVAL  # nobody can sync a pipe
    with pytest.raises(OSError, match="fdatasync"):
        sync.wait(early, fd)
    sync.wait(sync.written(), fd)
    for each in (fd, *pipe):
        os.close(each)


def test_closing_leaves_no_descriptor(directory: Path) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        log = make(directory)
        log.append([Record(b"x")])
        read_all(log)
        log.close()
        log.close()
    assert len(os.listdir("/proc/self/fd")) == before


def test_begin_and_finish_are_an_append_in_two_halves(tmp_path):
    log = SegmentLog(tmp_path / "t")
    assert log.begin([Record(b"first")]) is None, "the files are not open yet"
    log.append([Record(b"first")])
    begun = log.begin([Record(b"second"), Record(b"third")])
    assert begun is not None
    assert log.finish(begun) == range(1, 3)
    assert [record.value for record in log.reader().read(10)] == [b"first", b"second", b"third"]
    log.close()


def test_begin_leaves_alone_what_would_take_a_wait(tmp_path):
    log, other = SegmentLog(tmp_path / "t", segment_bytes=2_000), SegmentLog(tmp_path / "t")
    log.append([Record(b"x")])
    other.append([Record(b"x")])
    with other._own_writer.locked():
        assert log.begin([Record(b"y")]) is None, "another process has the topic"
    assert log.begin([Record(b"y" * 3_000)]) is None, "a segment would end"
    assert log.begin([Record(b"y", b"key")]) is None, "a record with a key goes the long way"
    assert log.bounds() == (0, 2)
    log.close()
    other.close()
