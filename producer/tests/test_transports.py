"""file, console, memory, composite, and how a URL finds its transport."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from headwater.producer import ConfigurationError, LineageProducer, configure, emit
from headwater.producer.testing import MemoryTransport
from headwater.producer.transports import Outcome, split_urls
from headwater.producer.transports.composite import CompositeTransport
from headwater.shared.errors import PermanentError, TransientError

Make = Callable[..., LineageProducer]


def logged(directory: Path) -> list[bytes]:
    from headwater.shared.log.segments import SegmentLog

    log = SegmentLog(directory)
    reader = log.reader()
    try:
        return [record.value for record in reader.read(max_records=1000, max_bytes=10**9)]
    finally:
        reader.close()
        log.close()


def test_file_is_the_local_log(make_producer: Make, tmp_path: Path) -> None:
    producer = make_producer(url=f"file://{tmp_path}/log", collector_topic="lineage")
    for number in range(10):
        producer.emit({"n": number})
    assert producer.shutdown()
    assert logged(tmp_path / "log" / "lineage") == [b'{"n":%d}' % number for number in range(10)]


def test_file_that_cannot_be_written_keeps_the_events(make_producer: Make, tmp_path: Path) -> None:
    (tmp_path / "log").write_text("no directory")
    producer = make_producer(url=f"file://{tmp_path}/log")
    producer.emit({"n": 1})
    assert not producer.flush(0.2)
    assert producer.stats().spooled == 1
    (tmp_path / "log").unlink()
    assert producer.flush(20)


@pytest.mark.parametrize("url", ["file:relative", "file://host/path", "file://"])
def test_wrong_file_urls(make_producer: Make, url: str) -> None:
    with pytest.raises(ConfigurationError, match="three slashes"):
        make_producer(url=url)


@pytest.mark.parametrize(("url", "stream"), [("console:", "out"), ("console:stderr", "err")])
def test_console(make_producer: Make, capsys: pytest.CaptureFixture[str], url: str, stream: str) -> None:
    producer = make_producer(url=url)
    producer.emit({"n": 1})
    producer.emit({"text": "ü"})
    assert producer.flush()
    assert getattr(capsys.readouterr(), stream) == '{"n":1}\n{"text":"ü"}\n'


def test_console_that_is_closed(make_producer: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    producer = make_producer(url="console:")
    producer.emit({"n": 1})
    assert not producer.flush(0.1)
    assert producer.stats().spooled == 1


def test_kafka_is_told_to_be_missing_in_one_line(make_producer: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "aiokafka", None)
    with pytest.raises(ConfigurationError) as error:
        make_producer(url="kafka://127.0.0.1:9092/platform.lineage.events")
    message = str(error.value)
    assert "needs aiokafka: pip install aiokafka" in message
    assert "\n" not in message


def test_kafka_in_the_environment_is_one_warning(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "aiokafka", None)
    monkeypatch.setenv("HEADWATER_URL", "kafka://127.0.0.1:9092")
    assert not emit({"n": 1})
    assert not emit({"n": 2})
    (record,) = caplog.records
    assert "needs aiokafka: pip install aiokafka" in record.getMessage()


def test_unknown_schemes_name_the_known_ones(make_producer: Make) -> None:
    with pytest.raises(ConfigurationError, match=r"ftp://x.*http\(s\)://host:port, file:///path"):
        make_producer(url="ftp://user:pw@x")
    with pytest.raises(ConfigurationError):
        make_producer(url="localhost:5000")


def test_lists_of_urls() -> None:
    assert split_urls("http://a:1, file:///b ,console:") == ["http://a:1", "file:///b", "console:"]
    assert split_urls("kafka://a:1,b:2/topic,memory:") == ["kafka://a:1,b:2/topic", "memory:"]


def test_composite_sends_to_all(make_producer: Make, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    producer = make_producer(url=[f"file://{tmp_path}/log", "console:"])
    producer.emit({"n": 1})
    assert producer.flush()
    assert capsys.readouterr().out == '{"n":1}\n'
    assert logged(tmp_path / "log" / "platform.lineage.events") == [b'{"n":1}']


def test_a_target_that_is_down_gives_the_others_nothing_twice(make_producer: Make) -> None:
    healthy, limping = MemoryTransport(), MemoryTransport()
    limping.script = [TransientError("down"), Outcome({}, (1, 3), "busy"), TransientError("down")]
    producer = make_producer(CompositeTransport([healthy, limping]))
    pipe = producer._pipe
    assert pipe is not None
    with pipe.lock:
        for number in range(5):
            producer.emit({"n": number})
    assert producer.flush(20)
    everything = [b'{"n":%d}' % number for number in range(5)]
    assert healthy.events == everything
    assert sorted(limping.events) == everything
    assert producer.stats().delivered == 5


def test_what_one_target_refuses_is_told_when_the_others_have_answered(make_producer: Make) -> None:
    picky, limping = MemoryTransport(), MemoryTransport()
    picky.script = [PermanentError("no")]
    limping.script = [TransientError("down")]
    producer = make_producer(CompositeTransport([picky, limping]))
    producer.emit({"n": 1})
    assert producer.flush(20)
    assert limping.events == [b'{"n":1}']
    assert producer.stats().dropped == {"refused": 1}
    assert producer.stats().delivered == 0


def test_memory_url(tmp_path: Path) -> None:
    configure(url="memory:", spool_dir=tmp_path / "spool")
    assert emit({"n": 1})
