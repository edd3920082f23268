"""Nothing of ours reaches the application."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from headwater.producer import LineageDataset, LineageProducer, configure, current_run, emit, flush, run, stats
from headwater.producer._guard import STATE, guarded, note_internal_error
from headwater.producer._notice import forget_notices, notice
from headwater.producer.testing import capture_lineage, raise_internal_errors

Make = Callable[..., LineageProducer]


@pytest.fixture
def production() -> Iterator[None]:
    STATE.raising = False
    yield
    STATE.raising = True


@guarded(7)
def fails(error: BaseException) -> int:
    raise error


def test_an_error_becomes_the_fallback_and_one_line(production: None, caplog: pytest.LogCaptureFixture) -> None:
    forget_notices()
    before = STATE.internal_errors
    assert [fails(ValueError("x")) for _ in range(3)] == [7, 7, 7]
    assert STATE.internal_errors == before + 3
    (record,) = caplog.records
    assert "ValueError: x" in record.getMessage()


def test_in_our_own_tests_it_is_raised(production: None) -> None:
    with raise_internal_errors(), pytest.raises(ValueError, match="x"):
        fails(ValueError("x"))
    assert fails(ValueError("x")) == 7


def test_interrupts_pass(production: None) -> None:
    with pytest.raises(KeyboardInterrupt):
        fails(KeyboardInterrupt())


class Hostile:
    """An object on which everything fails."""

    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(name)

    def __str__(self) -> str:
        raise RuntimeError("str")

    __repr__ = __str__


HOSTILE = [Hostile(), None, 42, object(), [], {}, {"namespace": Hostile(), "name": ""}, float("nan"), "x", b"\xff"]


@pytest.mark.parametrize("index", range(len(HOSTILE)))
def test_nothing_that_an_application_hands_over_raises(production: None, tmp_path: Any, index: int) -> None:
    thing: Any = HOSTILE[index]
    configure(url="memory:", spool_dir=tmp_path / "spool")
    emit(thing)
    with run("job", inputs=[thing], outputs=thing, facets=thing, job_facets=thing) as handle:
        handle.input(thing, version=thing)
        handle.output(thing, version=thing, inputs=thing)
        handle.facet(thing, thing)
        handle.job_facet("x", thing)
        handle.output_stats(thing, rows=thing, size=thing)
        handle.commit(thing, version=thing)
        handle.fail(thing)
    flush()
    assert stats().emitted == stats().delivered + sum(stats().dropped.values())


def test_an_application_at_the_end_of_its_stack(production: None, tmp_path: Any) -> None:
    configure(url="memory:", spool_dir=tmp_path / "spool")
    depths = []

    def deeper(n: int) -> None:
        emit({"n": n})
        depths.append(n)
        deeper(n + 1)

    with pytest.raises(RecursionError):
        deeper(0)
    assert len(depths) > 100
    assert flush()
    taken = stats()
    assert taken.emitted == taken.delivered + sum(taken.dropped.values())
    assert emit({"n": 1})
    assert sys.getrecursionlimit() > 0


def test_a_log_handler_that_emits_does_not_loop(production: None, caplog: pytest.LogCaptureFixture) -> None:
    import logging

    class Emits(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            fails(ValueError("again"))

    logger = logging.getLogger("headwater")
    handler = Emits()
    logger.addHandler(handler)
    forget_notices()
    try:
        fails(ValueError("x"))
        note_internal_error(ValueError("y"), "here")
    finally:
        logger.removeHandler(handler)
    assert len(caplog.records) == 1


def test_one_line_a_minute_of_each_kind(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    from headwater.producer import _notice

    forget_notices()
    now = [1000.0]
    monkeypatch.setattr(_notice.time, "monotonic", lambda: now[0])
    for _ in range(5):
        notice("a", "first %s", "x")
        notice("b", "second")
    now[0] += 61
    notice("a", "first %s", "y")
    assert [record.getMessage() for record in caplog.records] == [
        "first x",
        "second",
        "first y (4 more of this kind in between)",
    ]
    forget_notices()


def test_captures_may_be_nested() -> None:
    with capture_lineage() as outer:
        emit({"n": 1})
        with capture_lineage() as inner:
            emit({"n": 2})
        emit({"n": 3})
    assert (outer, inner) == ([{"n": 1}, {"n": 3}], [{"n": 2}])
    assert getattr(current_run(), "live", False) is False
    assert not emit({"n": 4})


def test_capture_over_a_configured_producer(make_producer: Make) -> None:
    producer = make_producer()
    with capture_lineage(producer) as events:
        producer.emit({"n": 1})
        with producer.run("x", inputs=[LineageDataset("a", "b")]):
            pass
    producer.emit({"n": 2})
    assert producer.flush()
    assert len(events) == 3
    assert producer.stats().emitted == 1


async def test_recording_by_hand(make_producer: Make) -> None:
    producer = make_producer(job_namespace="svc")
    with capture_lineage(producer) as events:
        first = await producer.record_consumption("start", "consume", inputs=[("db", "a")], outputs=[("db", "b")])
        again = await producer.record_consumption(
            "COMPLETE", "consume", job_namespace="other", run_id=first, producer_uri="https://example.org/me"
        )
        message = await producer.record_message_consumption("orders", "billing", "kafka://host:9092")
    assert first == again
    assert message not in (None, first)
    assert [event["eventType"] for event in events] == ["START", "COMPLETE", "COMPLETE"]
    assert events[0]["job"] == {"namespace": "svc", "name": "consume", "facets": {}}
    assert events[1]["job"]["namespace"] == "other"
    assert events[1]["producer"] == "https://example.org/me"
    assert events[2]["job"]["name"] == "billing"
    assert [(one["namespace"], one["name"]) for one in events[2]["inputs"]] == [("kafka://host:9092", "orders")]


async def test_recording_where_lineage_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_DISABLED", "1")
    producer = LineageProducer()
    assert await producer.record_consumption("START", "x") is None
    assert await producer.record_message_consumption("a", "b", "c") is None
