"""SIGTERM to real processes: they finish what is in hand, and end within their deadline whatever hangs."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from headwater.collector.cli import starting
from headwater.shared.log import Record
from headwater.shared.log.local import LocalLog
from headwater.shared.names import DEFAULT_TOPIC

from .events import event, lines
from .processes import Command


def put(directory: Path) -> dict[str, str]:
    """One event in a log, and the variable that names it."""
    asyncio.run(append(directory / "log", lines(event("one", at=1)).strip()))
    return {"HEADWATER_URL": f"file://{directory}/log"}


async def append(root: Path, raw: bytes) -> None:
    log = LocalLog(root)
    await log.open()
    await log.append(DEFAULT_TOPIC, [Record(raw)])
    await log.close()


def test_a_worker_finishes_the_batch_in_hand(start: Callable[..., Command], tmp_path: Path) -> None:
    named = put(tmp_path)
    worker = start("collect", "--port", "0", HEADWATER_STORE="slow", **named)
    worker.await_output("in hand")
    assert worker.terminate() == 0
    told = [line["event"] for line in worker.lines()]
    assert told[-2:] == ["draining", "stopped"]
    assert "lane_broken_off" not in told
    committed = tmp_path / "log" / "platform.lineage.events" / "groups" / "headwater.offset"
    assert committed.read_text().startswith("00000000000000000001 ")


@pytest.mark.parametrize("store", ["waits", "neveropens"])
def test_a_worker_breaks_off_what_hangs(start: Callable[..., Command], tmp_path: Path, store: str) -> None:
    named = put(tmp_path)
    worker = start("collect", "--port", "0", "--deadline", "0.2", HEADWATER_STORE=store, **named)
    worker.await_output("in hand")
    if store == "waits":
        worker.await_line("collecting")
    assert worker.terminate() == 0
    told = [line["event"] for line in worker.lines()]
    assert "broken_off" not in told
    if store == "waits":
        assert told[-2:] == ["lane_broken_off", "stopped"]
    committed = tmp_path / "log" / "platform.lineage.events" / "groups" / "headwater.offset"
    assert not committed.exists() or committed.read_text().startswith("0" * 20), "what is not stored is not committed"


def test_a_worker_ends_though_a_drivers_thread_hangs(start: Callable[..., Command], tmp_path: Path) -> None:
    named = put(tmp_path)
    worker = start("collect", "--port", "0", "--deadline", "0.2", HEADWATER_STORE="blocks", **named)
    worker.await_output("in hand")
    worker.await_line("collecting")
    assert worker.terminate() == 1
    assert worker.lines()[-1]["event"] == "broken_off"
    assert worker.lines()[-1]["after_s"] == 1.2 + starting._CLOSING_S


@pytest.mark.parametrize("command", ["up", "serve"])
def test_the_api_does_not_wait_for_ever_for_a_request(
    start: Callable[..., Command], tmp_path: Path, command: str
) -> None:
    arguments = ["--port", "0", "--deadline", "1", *(["--dir", "data"] if command == "up" else [])]
    database = {} if command == "up" else {"HEADWATER_LINEAGE__STORE__SQL__URL": f"sqlite:///{tmp_path}/h.db"}
    api = start(command, *arguments, HEADWATER_URL=f"file://{tmp_path}/log", **database)
    url = api.await_output(r"http://127\.0\.0\.1:\d+") if command == "up" else api.await_line("serving")["address"]
    host, port = url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as hanging:
        hanging.sendall(b"POST /api/v1/lineage HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{")
        time.sleep(0.3)  # until it is read; if it is not, the test is only easier
        assert api.terminate() == 0
    assert "broken_off" not in [line["event"] for line in api.lines()]


def test_a_signal_before_it_collects_ends_it_too(start: Callable[..., Command], tmp_path: Path) -> None:
    """A container's first process has no default for SIGTERM: without a handler it would be ignored."""
    named = {"HEADWATER_URL": f"file://{tmp_path}/log"}
    worker = start("collect", "--port", "0", HEADWATER_STORE="neveropens", **named)
    worker.await_output("in hand")
    assert worker.terminate() == 0
    assert [line["event"] for line in worker.lines()] in ([], ["starting"])
