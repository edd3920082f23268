"""POST /api/v1/lineage with 8 keep-alive clients against `headwater up`: each 201 means durable and readable."""

from __future__ import annotations

import http.client
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.events import run_events
from benchmarks.report import Measured, percentile

TITLE = "HTTP ingest, one event a request, 8 clients"
CLIENTS = 8
EVENTS = 12_000


def run() -> list[Measured]:
    raws = list(run_events(EVENTS // 2, 100))
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as directory, server(Path(directory)) as port:
        _send(port, raws[:200], [])
        took: list[float] = []
        shares = [raws[200 + n :: CLIENTS] for n in range(CLIENTS)]
        threads = [threading.Thread(target=_send, args=(port, share, took)) for share in shares]
        began = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        rate = len(took) / (time.perf_counter() - began)
    assert len(took) == EVENTS - 200
    return [
        Measured("events stored", f"{rate:,.0f} events/s", "1,500", rate >= 1_500),
        Measured(
            "p50 / p99 of a request", f"{percentile(took, 0.5) * 1e3:.1f} / {percentile(took, 0.99) * 1e3:.1f} ms"
        ),
    ]


def _send(port: int, raws: list[bytes], took: list[float]) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.connect()
    connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for raw in raws:
        began = time.perf_counter()
        connection.request("POST", "/api/v1/lineage", raw, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 201, answer.status
        took.append(time.perf_counter() - began)
    connection.close()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def server(directory: Path) -> Iterator[int]:
    """`headwater up` on a free port, ready; stopped at the end."""
    port = free_port()
    command = [sys.executable, "-m", "headwater.collector.cli", "up", "--dir", str(directory), "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _await_ready(port, process)
        yield port
    finally:
        process.terminate()
        process.wait(30)


def _await_ready(port: int, process: subprocess.Popen[bytes]) -> None:
    while process.poll() is None:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
            connection.request("GET", "/readyz")
            if connection.getresponse().status == 200:
                return
        except OSError:
            time.sleep(0.05)
        finally:
            connection.close()
    raise RuntimeError(f"headwater up ended with {process.returncode}")
