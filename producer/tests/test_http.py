"""The http transport against a real server."""

from __future__ import annotations

import gzip
import json
import logging
import socket
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from headwater.producer import ConfigurationError, LineageProducer

Make = Callable[..., LineageProducer]
Answer = tuple[int, dict[str, str], bytes]


class Server:
    """Answers as ``script`` says, then as a collector does; ``batch`` False means that it has no batch endpoint."""

    def __init__(self) -> None:
        self.script: list[Answer] = []
        self.requests: list[tuple[str, dict[str, str], Any]] = []
        self.events: list[Any] = []
        self.batch, self.close_each = True, False
        self.connections = 0
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                server.connections += 1
                super().setup()

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers.get("Content-Encoding") == "gzip":
                    raw = gzip.decompress(raw)
                body = json.loads(raw)
                server.requests.append((self.path, dict(self.headers), body))
                status, headers, content = server.answer(self.path, body)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
                if server.close_each:
                    self.close_connection = True

            def log_message(self, *_: object) -> None:
                pass

        class Quiet(ThreadingHTTPServer):
            def handle_error(self, *_: object) -> None:
                pass

        self._http = Quiet(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,))
        self._thread.start()

    def answer(self, path: str, body: Any) -> Answer:
        if not self.batch and path.endswith("/batch"):
            return 404, {}, b""
        if self.script:
            return self.script.pop(0)
        self.events += body if isinstance(body, list) else [body]
        return 201, {}, b""

    def stop(self) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


@pytest.fixture
def server() -> Iterator[Server]:
    running = Server()
    yield running
    running.stop()


def send(producer: LineageProducer, count: int, **more: Any) -> None:
    for number in range(count):
        assert producer.emit({"n": number, **more})


def test_a_batch_is_one_request(make_producer: Make, server: Server) -> None:
    producer = make_producer(url=server.url, api_key="s3cret")
    send(producer, 50)
    assert producer.flush()
    assert server.events == [{"n": number} for number in range(50)]
    assert 1 <= len(server.requests) <= 3
    path, headers, _ = server.requests[-1]
    assert path in ("/api/v1/lineage/batch", "/api/v1/lineage")
    assert headers["Content-Type"] == "application/json"
    assert headers["Authorization"] == "Bearer s3cret"
    assert server.connections == 1


def test_a_server_without_batches_gets_single_events_from_then_on(make_producer: Make, server: Server) -> None:
    server.batch = False
    producer = make_producer(url=server.url + "/prefix/")
    send(producer, 20)
    assert producer.flush()
    send(producer, 20)
    assert producer.flush()
    assert len(server.events) == 40
    batches = [path for path, _, _ in server.requests if path.endswith("/batch")]
    assert len(batches) == 1
    assert {path for path, _, _ in server.requests} == {"/prefix/api/v1/lineage/batch", "/prefix/api/v1/lineage"}
    assert server.connections == 1


def test_busy_with_retry_after(make_producer: Make, server: Server) -> None:
    server.script = [(503, {"Retry-After": "1"}, b"busy")]
    producer = make_producer(url=server.url)
    send(producer, 2)
    assert not producer.flush(0.3)
    assert "503" in (producer.stats().last_error or "")
    assert producer.flush(20)
    assert len(server.events) == 2


@pytest.mark.parametrize("status", [400, 409, 413, 422])
def test_an_event_that_the_server_refuses(make_producer: Make, server: Server, status: int) -> None:
    server.batch = False
    server.script = [(201, {}, b""), (status, {}, b'{"message": "/job/name is missing"}')]
    producer = make_producer(url=server.url)
    send(producer, 3)
    assert producer.flush()
    stats = producer.stats()
    assert (stats.delivered, stats.dropped) == (2, {"refused": 1})
    assert "/job/name is missing" in (stats.last_error or "")
    assert str(status) in (stats.last_error or "")


@pytest.mark.parametrize("status", [401, 403, 408, 429, 500, 502, 503, 302, 307])
def test_what_speaks_of_the_server_costs_no_event(make_producer: Make, server: Server, status: int) -> None:
    server.script = [(status, {"Location": "http://127.0.0.1:9/"}, b"")]
    producer = make_producer(url=server.url)
    send(producer, 3)
    assert producer.flush(20)
    assert producer.stats().delivered == 3
    assert producer.stats().dropped == {}


def test_a_batch_refused_as_a_whole_is_halved(make_producer: Make, server: Server) -> None:
    answers = server.answer

    def picky(path: str, body: Any) -> Answer:
        events = body if isinstance(body, list) else [body]
        return (422, {}, b"bad") if {"n": 3} in events else answers(path, body)

    server.answer = picky  # type: ignore[method-assign]
    producer = make_producer(url=server.url)
    send(producer, 10)
    assert producer.flush(20)
    assert sorted(event["n"] for event in server.events) == [0, 1, 2, 4, 5, 6, 7, 8, 9]
    assert producer.stats().dropped == {"refused": 1}


def test_the_answer_to_a_batch_is_read_event_by_event(make_producer: Make, server: Server) -> None:
    failed = [
        {"index": 0, "reason": "no job", "retriable": False},
        {"index": 2, "reason": "store busy", "retriable": True},
        {"index": 99, "reason": "nonsense", "retriable": False},
    ]
    summary = {"status": "partial_success", "summary": {"received": 4}, "failed_events": failed}
    server.script = [(200, {}, json.dumps(summary).encode())]
    producer = make_producer(url=server.url)
    pipe = producer._pipe
    assert pipe is not None
    with pipe.lock:  # so that the four go in one batch
        send(producer, 4)
    assert producer.flush(20)
    stats = producer.stats()
    assert (stats.delivered, stats.dropped) == (3, {"refused": 1})
    assert server.events == [{"n": 2}]


@pytest.mark.parametrize(
    "answer", [(204, {}, b""), (200, {}, b"ok"), (200, {}, b"[]"), (200, {}, b'{"failed_events":[]}')]
)
def test_other_good_answers(make_producer: Make, server: Server, answer: Answer) -> None:
    server.script = [answer]
    producer = make_producer(url=server.url)
    send(producer, 2)
    assert producer.flush(20)
    assert producer.stats().delivered == 2


def test_large_bodies_are_compressed(make_producer: Make, server: Server) -> None:
    producer = make_producer(url=server.url)
    send(producer, 1, text="x" * 100_000)
    assert producer.flush()
    _, headers, body = server.requests[-1]
    assert headers["Content-Encoding"] == "gzip"
    assert int(headers["Content-Length"]) < 5000
    assert body["text"] == "x" * 100_000


def test_a_server_that_takes_no_gzip(make_producer: Make, server: Server) -> None:
    server.script = [(415, {}, b"")]
    producer = make_producer(url=server.url)
    send(producer, 1, text="x" * 100_000)
    assert producer.flush()
    send(producer, 1, text="x" * 100_000)
    assert producer.flush()
    assert [headers.get("Content-Encoding") for _, headers, _ in server.requests] == ["gzip", None, None]
    assert len(server.events) == 2


def test_a_connection_that_the_server_closed_is_opened_again(make_producer: Make, server: Server) -> None:
    server.close_each = True
    producer = make_producer(url=server.url)
    for _ in range(3):
        send(producer, 1)
        assert producer.flush()
    assert len(server.events) == 3
    assert producer.stats().last_error is None


def test_connection_refused_then_up(make_producer: Make) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    producer = make_producer(url=f"http://127.0.0.1:{port}")
    send(producer, 3)
    assert not producer.flush(0.2)
    assert f"http://127.0.0.1:{port}" in (producer.stats().last_error or "")
    assert producer.stats().spooled == 3


def test_the_key_is_never_told(make_producer: Make, server: Server, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    server.script = [(401, {}, b"who are you?")]
    producer = make_producer(url=server.url, api_key="s3cret")
    send(producer, 1)
    assert producer.flush(20)
    assert "s3cret" not in caplog.text + repr(producer.stats())
    with pytest.raises(ConfigurationError) as error:
        make_producer(url=server.url, api_key="s3\ncret")
    assert "cret" not in str(error.value)


def test_proxies_are_not_followed(make_producer: Make, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    producer = make_producer(url=server.url)
    send(producer, 1)
    assert producer.flush()


@pytest.mark.parametrize(
    "url",
    [
        "http://",
        "http://user:pw@host",
        "http://host:port",
        "http://host/?key=1",
        "http://a,b",
        "http://host/ü",
        "https:",
    ],
)
def test_wrong_urls(make_producer: Make, url: str) -> None:
    with pytest.raises(ConfigurationError) as error:
        make_producer(url=url)
    assert str(error.value).startswith("url = ")
    assert "pw" not in str(error.value)
