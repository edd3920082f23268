"""/healthz says that a process is alive, /readyz that events are settled; and `serve` does not start blind."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from .events import event, lines
from .processes import ENDS_WITHIN_S, Command

QUICK = {"HEADWATER_LINEAGE__COLLECTOR__BREAKER__MAX_OPEN_S": "0.2"}


def get(url: str, path: str) -> tuple[int, Any]:
    answer = httpx.get(f"{url}{path}", timeout=30)
    return answer.status_code, answer.json() if "json" in answer.headers["content-type"] else answer.text


def until_ready(url: str, status: int) -> dict[str, str]:
    """The checks, once /readyz has that status."""
    ends = time.monotonic() + ENDS_WITHIN_S
    while True:
        found, body = get(url, "/readyz")
        if found == status:
            checks: dict[str, str] = body["checks"]
            return checks
        assert time.monotonic() < ends, body
        time.sleep(0.05)


@pytest.fixture
def closed_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        number: int = probe.getsockname()[1]
    return number


def test_a_worker_is_ready_while_it_can_settle(start: Callable[..., Command], tmp_path: Path) -> None:
    (tmp_path / "down").touch()
    url = f"file://{tmp_path}/log"
    worker = start("collect", "--port", "0", HEADWATER_STORE="flagged", HEADWATER_URL=url, **QUICK)
    operations = worker.await_line("collecting")["operations"]
    checks = until_ready(operations, 503)
    assert checks["store flagged"] == "the file says so"
    assert get(operations, "/healthz") == (200, {"status": "ok"})
    assert 'headwater_store_up{store="flagged"} 0.0' in get(operations, "/metrics")[1]
    (tmp_path / "down").unlink()
    assert set(until_ready(operations, 200).values()) == {"ok"}
    (tmp_path / "down").touch()
    (tmp_path / "event").write_bytes(lines(event("one", at=1)))
    sender = start("emit", "event", "--url", url)
    assert sender.process.wait(ENDS_WITHIN_S) == 0
    assert "store flagged" in until_ready(operations, 503)
    assert get(operations, "/healthz")[0] == 200
    (tmp_path / "down").unlink()
    until_ready(operations, 200)
    assert worker.terminate() == 0


def test_a_worker_answers_while_its_store_is_being_opened(start: Callable[..., Command], tmp_path: Path) -> None:
    url = f"file://{tmp_path}/log"
    worker = start("collect", "--port", "0", HEADWATER_STORE="neveropens", HEADWATER_URL=url)
    operations = worker.await_line("starting")["operations"]
    worker.await_output("in hand")
    assert get(operations, "/healthz") == (200, {"status": "ok"})
    assert until_ready(operations, 503) == {"start": "opening the stores", "store neveropens": "not opened yet"}
    assert "headwater_store_up" in get(operations, "/metrics")[1]
    assert get(operations, "/api/deadletters")[0] == 200
    assert worker.terminate() == 0


def test_a_worker_whose_stores_make_no_sense_ends_at_once(start: Callable[..., Command], tmp_path: Path) -> None:
    (tmp_path / "h.db").write_bytes(b"no database" * 100)
    store = {"HEADWATER_LINEAGE__STORE__SQL__URL": f"sqlite:///{tmp_path}/h.db"}
    worker = start("collect", "--port", "0", HEADWATER_URL=f"file://{tmp_path}/log", HEADWATER_STORE="", **store)
    assert worker.process.wait(ENDS_WITHIN_S) != 0
    assert "Traceback" not in worker.errors.read_text()


def test_serve_ends_with_3_where_its_store_is_away(
    start: Callable[..., Command],
    tmp_path: Path,
    closed_port: int,
) -> None:
    store = {
        "HEADWATER_STORE": "composite",
        "HEADWATER_LINEAGE__STORE__BACKENDS": "document,graph",
        "HEADWATER_LINEAGE__STORE__DEADLINE_S": "3",
        "HEADWATER_LINEAGE__STORE__DOCUMENT__DOCUMENT_CONNECTION_NAME": "audit",
        "HEADWATER_LINEAGE__STORE__GRAPH__GRAPH_CONNECTION_NAME": "lineage",
        "HEADWATER_CONNECTIONS__AUDIT__URI": f"mongodb://127.0.0.1:{closed_port}",
        "HEADWATER_CONNECTIONS__LINEAGE__URI": f"bolt://127.0.0.1:{closed_port}",
        "HEADWATER_CONNECTIONS__LINEAGE__USER": "neo4j",
        "HEADWATER_CONNECTIONS__LINEAGE__PASSWORD": "hunter2-of-neo4j",
    }
    api = start("serve", "--port", "0", HEADWATER_URL=f"file://{tmp_path}/log", **store)
    assert api.process.wait(ENDS_WITHIN_S) == 3
    last = api.errors.read_text().strip().splitlines()[-1]
    assert last.startswith("headwater: nothing can be answered while a store that is read is away (")
    assert "document: " in last
    assert "graph: " in last
    assert str(closed_port) in last
    assert "Traceback" not in api.errors.read_text()
    assert "hunter2" not in api.errors.read_text()


def test_serve_is_ready_while_log_and_stores_are(start: Callable[..., Command], tmp_path: Path) -> None:
    database = {"HEADWATER_LINEAGE__STORE__SQL__URL": f"sqlite:///{tmp_path}/h.db"}
    api = start("serve", "--port", "0", HEADWATER_URL=f"file://{tmp_path}/log", **database)
    url = api.await_line("serving")["address"]
    assert until_ready(url, 200) == {"store sql": "ok", "log": "ok"}
    assert get(url, "/healthz") == (200, {"status": "ok"})
    assert api.terminate() == 0
