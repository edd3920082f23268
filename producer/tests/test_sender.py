"""Delivery: retries, refusals, flush, and what the application's thread pays."""

from __future__ import annotations

import itertools
import random
import signal
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from headwater.producer import LineageProducer
from headwater.producer._backoff import BackoffPolicy
from headwater.producer._wakeup import Wakeup
from headwater.producer.testing import MemoryTransport
from headwater.producer.transports import Outcome
from headwater.producer.transports.delivery import deliver
from headwater.shared.errors import PermanentError, TransientError

Make = Callable[..., LineageProducer]


def numbered(count: int) -> list[bytes]:
    return [b'{"n":%d}' % number for number in range(count)]


def test_transient_failures_are_tried_again(make_producer: Make) -> None:
    transport = MemoryTransport()
    transport.script = [TransientError("down"), TransientError("still down")]
    producer = make_producer(transport)
    for event in numbered(10):
        producer.emit(event)
    assert producer.flush(20)
    assert transport.events == numbered(10)
    assert producer.stats().delivered == 10


def test_a_partly_taken_batch_is_completed_without_duplicates(make_producer: Make) -> None:
    transport = MemoryTransport()
    transport.script = [Outcome({1: "never"}, (2, 4), "busy")]
    producer = make_producer(transport)
    pipe = producer._pipe
    assert pipe is not None
    with pipe.lock:  # so that the five go in one batch
        for event in numbered(5):
            producer.emit(event)
    assert producer.flush(20)
    assert sorted(transport.events) == [event for number, event in enumerate(numbered(5)) if number != 1]
    stats = producer.stats()
    assert (stats.delivered, stats.dropped, stats.spooled) == (4, {"refused": 1}, 0)
    assert stats.last_error in ("refused: never", "busy")


def test_one_event_that_is_refused_costs_no_other(make_producer: Make) -> None:
    class Picky(MemoryTransport):
        def send(self, batch: Sequence[bytes]) -> Outcome:
            if b'{"n":13}' in batch:
                raise PermanentError("unlucky")
            return super().send(batch)

    transport = Picky()
    producer = make_producer(transport)
    for event in numbered(100):
        producer.emit(event)
    assert producer.flush(20)
    assert transport.events == [event for event in numbered(100) if event != b'{"n":13}']
    assert producer.stats().dropped == {"refused": 1}


def test_halving_keeps_what_a_transient_error_leaves() -> None:
    class Odd(MemoryTransport):
        def send(self, batch: Sequence[bytes]) -> Outcome:
            if len(batch) > 2:
                raise PermanentError("too many")
            if b'{"n":4}' in batch:
                raise TransientError("later", retry_after_s=3)
            return super().send(batch)

    transport = Odd()
    outcome = deliver(transport, numbered(8))
    assert transport.events == numbered(4)
    assert outcome == Outcome({}, (4, 5, 6, 7), "later", 3)


def test_flush_says_no_in_time_and_later_yes(make_producer: Make) -> None:
    transport = MemoryTransport()
    transport.script = [TransientError("down", retry_after_s=0.3)]
    producer = make_producer(transport)
    producer.emit({"n": 1})
    assert not producer.flush(0.05)
    assert producer.stats().spooled == 1
    assert producer.flush(20)


def test_a_flush_does_not_cut_short_what_the_server_asked_for(make_producer: Make) -> None:
    transport = MemoryTransport()
    transport.script = [TransientError("busy", retry_after_s=0.2)]
    producer = make_producer(transport)
    producer.emit({"n": 1})
    for _ in range(5):
        producer.flush(0.01)
    assert len(transport.batches) == 1
    assert producer.flush(20)


def test_backoff_is_bounded_and_honours_retry_after() -> None:
    policy = BackoffPolicy(base_s=0.25, max_s=30)
    assert [policy.delay_s(n, fraction=1.0) for n in (0, 1, 2, 7, 1000)] == [0.25, 0.5, 1.0, 30, 30]
    assert policy.delay_s(5, fraction=0.0) == 0
    assert 60 <= policy.delay_s(3, 60.0) <= 60.25
    assert len({policy.delay_s(5) for _ in range(50)}) > 40


def test_events_gather_while_the_sender_lingers(make_producer: Make) -> None:
    transport = MemoryTransport()
    producer = make_producer(transport)
    producer.emit({"n": -1})
    producer.flush()
    for event in numbered(300):
        producer.emit(event)
    producer.flush()
    assert len(transport.batches) < 40


def test_emit_from_many_threads(make_producer: Make) -> None:
    transport = MemoryTransport()
    producer = make_producer(transport)

    def work(thread: int) -> None:
        for number in range(500):
            assert producer.emit({"t": thread, "n": number})

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert producer.flush(20)
    assert len(set(transport.events)) == len(transport.events) == 4000
    for thread_number in range(8):
        mine = [event for event in transport.events if event.startswith(b'{"t":%d,' % thread_number)]
        assert mine == [b'{"t":%d,"n":%d}' % (thread_number, number) for number in range(500)]


def test_emit_in_a_signal_handler_that_interrupts_emit(make_producer: Make) -> None:
    transport = MemoryTransport()
    producer = make_producer(transport)
    in_handler: list[bool] = []

    def handler(*_: object) -> None:
        in_handler.append(producer.emit({"handler": True}))

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.001, 0.0005)
    try:
        outside = sum(producer.emit({"n": number}) for number in range(5000))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert producer.flush(20)
    stats = producer.stats()
    assert outside == 5000
    assert all(in_handler)
    assert stats.emitted == stats.delivered == outside + len(in_handler) == len(transport.events)


@pytest.mark.parametrize("seed", range(4))
def test_emit_and_shutdown_in_signal_handlers_from_the_first_event_on(make_producer: Make, seed: int) -> None:
    """The handler comes while the spool is being made, rolled and closed; nothing accepted is lost."""
    rng = random.Random(seed)
    transport = MemoryTransport()
    producer = make_producer(transport, spool_max_bytes=10_000_000)
    taken: list[bool] = []
    shutdowns: list[bool] = []
    names = itertools.count()
    busy = False

    def handler(*_: object) -> None:
        nonlocal busy
        taken.append(producer.emit({"handler": next(names)}))
        if not busy and rng.random() < 0.2 and len(shutdowns) < 4:
            busy = True  # further signals come while this one shuts down
            shutdowns.append(producer.shutdown(0.01))
            busy = False

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.0003, 0.0007)
    try:
        taken.extend(producer.emit({"n": number, "text": "x" * rng.randrange(3000)}) for number in range(600))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    while not producer.flush(20):
        pass
    stats = producer.stats()
    assert all(taken)
    assert stats.emitted == len(taken) == stats.delivered
    assert len(set(transport.events)) == len(taken)


def test_emit_in_a_destructor(make_producer: Make) -> None:
    transport = MemoryTransport()
    producer = make_producer(transport)

    class Leaves:
        def __del__(self) -> None:
            producer.emit({"left": True})

    for _ in range(200):
        cycle: list[object] = [Leaves()]
        cycle.append(cycle)
        producer.emit({"in": [Leaves() is None]})
    del cycle
    import gc

    gc.collect()
    assert producer.flush(20)
    assert producer.stats().delivered == 600


def test_the_sender_sleeps_when_there_is_nothing_to_do(make_producer: Make) -> None:
    producer = make_producer()
    producer.emit({"n": 1})
    assert producer.flush()
    sender = producer._pipe._sender  # type: ignore[union-attr]
    deadline = time.monotonic() + 5
    while not sender.idle and time.monotonic() < deadline:
        time.sleep(0.01)
    assert sender.idle


def test_wakeup() -> None:
    wakeup = Wakeup()
    assert not wakeup.wait(0)
    wakeup.set()
    wakeup.set()
    assert wakeup.wait(0)
    assert not wakeup.wait(0)
    assert not wakeup.wait(-1)


def test_an_unexpected_error_of_a_transport_is_survived(make_producer: Make, spool: Path) -> None:
    from headwater.producer._guard import STATE

    STATE.raising, errors = False, STATE.internal_errors
    transport = MemoryTransport()
    transport.script = [ZeroDivisionError("a defect")]
    producer = make_producer(transport)
    producer.emit({"n": 1})
    assert producer.flush(20)
    assert producer.stats().internal_errors == errors + 1
    assert transport.events == [b'{"n":1}']


@pytest.mark.parametrize("size", [0, 17 * 1024 * 1024])
def test_what_is_too_large_is_dropped_and_counted(make_producer: Make, size: int) -> None:
    producer = make_producer()
    assert producer.emit({"text": "x" * size}) is (size == 0)
    assert producer.stats().dropped == ({"too_large": 1} if size else {})


def test_what_is_no_json_is_dropped_and_counted(make_producer: Make, caplog: pytest.LogCaptureFixture) -> None:
    producer = make_producer()
    assert [producer.emit({"a": object()}) for _ in range(3)] == [False] * 3
    assert producer.stats().dropped == {"unserialisable": 3}
    assert producer.stats().emitted == 3
    assert len(caplog.records) == 1


def test_stats_read_as_attributes_and_as_a_mapping(make_producer: Make) -> None:
    producer = make_producer()
    producer.emit({"n": 1})
    producer.flush()
    stats = producer.stats()
    assert stats.emitted == stats["emitted"] == dict(stats)["emitted"] == 1
    assert set(stats) >= {"emitted", "delivered", "spooled", "dropped", "last_error"}
    with pytest.raises(KeyError):
        stats["nonsense"]
