"""Forks, multiprocessing, exits, event loops and interpreters that go away."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from headwater.producer import LineageProducer, configure, emit, flush, stats, track_lineage
from headwater.producer._spool.files import lane_names
from headwater.producer.testing import MemoryTransport

Make = Callable[..., LineageProducer]


def logged(directory: Path) -> list[dict[str, object]]:
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


def fork(work: Callable[[], None]) -> int:
    child = os.fork()
    if child == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    return child


def test_fork_with_four_children(make_producer: Make, tmp_path: Path, spool: Path) -> None:
    """Each of 4 children and the parent emit 5,000 events while the parent's sender is at work; all arrive, once."""
    producer = make_producer(url=f"file://{tmp_path}/log", collector_topic="t")
    for number in range(100):
        producer.emit({"who": "before", "n": number})

    def work(name: str) -> None:
        assert producer.stats().emitted == 0
        for number in range(5000):
            assert producer.emit({"who": name, "n": number})
        producer.shutdown(20)
        assert producer.stats().emitted == 5000

    children = [fork(lambda name=f"child{n}": work(name)) for n in range(4)]  # type: ignore[misc]
    for number in range(5000):
        assert producer.emit({"who": "parent", "n": number})
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
    assert producer.flush(20)
    assert producer.stats().delivered == 5100
    got = sorted((str(event["who"]), event["n"]) for event in logged(tmp_path / "log" / "t"))
    names = ["before", "child0", "child1", "child2", "child3", "parent"]
    assert got == [(name, number) for name in names for number in range(100 if name == "before" else 5000)]


def test_what_a_child_leaves_is_sent_by_its_parent(make_producer: Make) -> None:
    transport = MemoryTransport()
    producer = make_producer(transport)
    producer.emit({"who": "parent"})

    def work() -> None:
        pipe = producer._pipe
        assert pipe is not None
        pipe.start = lambda: None  # type: ignore[method-assign]  # as if killed before its sender began
        assert producer.emit({"who": "child"})

    assert os.waitpid(fork(work), 0)[1] == 0
    assert producer.flush()
    assert sorted(transport.events) == [b'{"who":"child"}', b'{"who":"parent"}']
    assert producer.stats().adopted == 1
    assert producer.stats().emitted == 1


def test_a_child_inherits_no_open_files_of_the_spool(make_producer: Make, spool: Path) -> None:
    producer = make_producer()
    producer.emit({"n": 1})
    assert producer.flush()

    def work() -> None:
        links = [os.readlink(f"/proc/self/fd/{fd}") for fd in os.listdir("/proc/self/fd") if fd.isdigit()]
        assert not [link for link in links if str(spool) in link]

    def careful() -> None:
        try:
            work()
        except FileNotFoundError:  # the descriptor that listed the directory
            pass

    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("needs /proc")
    assert os.waitpid(fork(careful), 0)[1] == 0
    assert producer.emit({"n": 2})
    assert producer.flush()


def test_fork_while_other_threads_emit(make_producer: Make) -> None:
    transport = MemoryTransport()
    producer = make_producer(transport)
    stop = threading.Event()
    emitted = [0] * 3

    def work(index: int) -> None:
        while not stop.is_set():
            emitted[index] += producer.emit({"t": index, "n": emitted[index]})

    threads = [threading.Thread(target=work, args=(n,)) for n in range(3)]
    for thread in threads:
        thread.start()
    pipe = producer._pipe
    assert pipe is not None

    def in_child() -> None:
        pipe.start = lambda: None  # type: ignore[method-assign]  # its sender would find its own copy of the transport
        assert producer.emit({"child": True})

    statuses = []
    for _ in range(10):
        child = fork(in_child)
        statuses.append(os.waitpid(child, 0)[1])
    stop.set()
    for thread in threads:
        thread.join()
    assert statuses == [0] * 10
    assert producer.flush(20)
    assert producer.stats().delivered == sum(emitted) == producer.stats().emitted
    assert transport.events.count(b'{"child":true}') == producer.stats().adopted == 10


def work_in_a_pool(number: int) -> int:
    assert emit({"n": number})
    return stats().emitted


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_multiprocessing(python, tmp_path: Path, method: str) -> None:  # type: ignore[no-untyped-def]
    script = tmp_path / "script.py"
    script.write_text(
        f"""
import multiprocessing
from headwater.producer import emit, track_lineage

@track_lineage("work")
def work(number):
    return number

if __name__ == "__main__":
    emit({{"n": -1}})
    with multiprocessing.get_context({method!r}).Pool(3) as pool:
        assert pool.map(work, range(30)) == list(range(30))
        pool.close()
        pool.join()
"""
    )
    python(
        "import runpy, sys; runpy.run_path('script.py', run_name='__main__')"
        if method == "fork"
        else "import subprocess, sys; sys.exit(subprocess.call([sys.executable, 'script.py']))",
        HEADWATER_URL=f"file://{tmp_path}/log",
        HEADWATER_SPOOL=str(tmp_path / "spool"),
    )
    events = logged(tmp_path / "log" / "platform.lineage.events")
    assert len(events) == 61
    assert lane_names(str(tmp_path / "spool")) == []


def test_the_end_of_the_process_sends_what_is_left(python, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    python(
        """
        import atexit, threading, time
        atexit.register(lambda: print(emit({"n": "exit handler"})))
        from headwater.producer import emit

        def daemon():
            while True:
                emit({"n": "daemon"})
                time.sleep(0.0001)

        for number in range(1000):
            emit({"n": number})
        threading.Thread(target=daemon, daemon=True).start()
        """,
        HEADWATER_URL=f"file://{tmp_path}/log",
        HEADWATER_SPOOL=str(tmp_path / "spool"),
        HEADWATER_RAISE="0",
    )
    events = logged(tmp_path / "log" / "platform.lineage.events")
    assert [event["n"] for event in events if event["n"] not in ("daemon", "exit handler")] == list(range(1000))


def test_the_end_of_the_process_is_not_held_up_by_a_server_that_is_down(python, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    script = """
        import time
        from headwater.producer import emit
        for number in range(10):
            assert emit({"n": number})
        """
    environment = {"HEADWATER_SPOOL": str(tmp_path / "spool"), "HEADWATER_EXIT_TIMEOUT_S": "50"}
    python(script, HEADWATER_URL="http://127.0.0.1:9", **environment)
    python(
        "import headwater.producer as h; h.configure(); assert h.flush(20)",
        HEADWATER_URL=f"file://{tmp_path}/log",
        **environment,
    )
    assert len(logged(tmp_path / "log" / "platform.lineage.events")) == 10


@track_lineage("loop.work")
async def work() -> None:
    await asyncio.sleep(0)


def test_a_thousand_event_loops_leave_no_thread_and_no_file(tmp_path: Path) -> None:
    configure(url="memory:", spool_dir=tmp_path / "spool")
    asyncio.run(work())
    for _ in range(3):  # segments of the spool, so that one of them is kept to be used again
        emit({"text": "x" * 2_000_000})
        assert flush(20)

    def open_files() -> int:
        return len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0

    before = threading.active_count(), open_files()
    for _ in range(1000):
        asyncio.run(work())
    assert flush(20)
    assert (threading.active_count(), open_files()) == before
    assert stats().delivered == 2005


def test_emit_after_the_loop_is_closed_and_within_a_closing_one(tmp_path: Path) -> None:
    configure(url="memory:", spool_dir=tmp_path / "spool")
    taken = []

    async def forever() -> None:
        try:
            await asyncio.sleep(60)
        finally:
            taken.append(emit({"n": "closing"}))

    async def main() -> None:
        task = asyncio.create_task(forever())
        await asyncio.sleep(0)
        del task

    asyncio.run(main())
    taken.append(emit({"n": "closed"}))
    assert taken == [True, True]


def test_sys_exit_and_uncaught_errors_are_told(python, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    done = python(
        """
        from headwater.producer import run
        with run("nightly"):
            raise ValueError("boom")
        """,
        check=False,
        HEADWATER_URL=f"file://{tmp_path}/log",
        HEADWATER_SPOOL=str(tmp_path / "spool"),
    )
    assert done.returncode == 1
    assert "ValueError: boom" in done.stderr
    events = logged(tmp_path / "log" / "platform.lineage.events")
    assert [event["eventType"] for event in events] == ["START", "FAIL"]
