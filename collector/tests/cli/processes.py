"""Long-running commands in processes of their own, with stores that fail as told installed beside them."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.support.collector import clean_environment

ENDS_WITHIN_S = 60
"""Of the test's patience; what is asserted is the process' own account."""

STORES = '''
import asyncio, time
from pathlib import Path
from headwater.collector.stores import MemoryLineageStore
from headwater.shared.errors import TransientError

class Flagged(MemoryLineageStore):
    """Down while a file is there."""
    def _check(self):
        if Path("down").exists():
            raise TransientError("the file says so")
    async def open(self):
        self._check()
    async def write(self, batch):
        self._check()
        await super().write(batch)
    async def ping(self):
        self._check()

class Waits(MemoryLineageStore):
    """Never answers a write."""
    async def write(self, batch):
        print("in hand", flush=True)
        await asyncio.sleep(3600)

class Blocks(MemoryLineageStore):
    """Hangs in a thread that nothing can cancel."""
    async def write(self, batch):
        print("in hand", flush=True)
        await asyncio.to_thread(time.sleep, 3600)

class NeverOpens(MemoryLineageStore):
    """Hangs when it is opened."""
    async def open(self):
        print("in hand", flush=True)
        await asyncio.sleep(3600)

class Slow(MemoryLineageStore):
    """Takes its time."""
    async def write(self, batch):
        print("in hand", flush=True)
        await asyncio.sleep(1)
        await super().write(batch)
'''


class Command:
    """A long-running command, its standard output and errors."""

    def __init__(self, directory: Path, *arguments: str, **variables: str) -> None:
        self.errors = directory / "errors"
        with self.errors.open("wb") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "headwater.collector.cli", *arguments],
                stdout=subprocess.PIPE, stderr=errors, text=True, cwd=directory,
                env=clean_environment(PYTHONPATH=str(directory), PYTHONUNBUFFERED="1", **variables),
            )  # fmt: skip

    def await_output(self, pattern: str) -> str:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if found := re.search(pattern, line):
                return found.group()
        raise AssertionError(f"it ended without {pattern}: {self.errors.read_text()}")

    def await_line(self, event_name: str) -> dict[str, Any]:
        """A log line of that event."""
        until = time.monotonic() + ENDS_WITHIN_S
        while True:
            for line in self.lines():
                if line["event"] == event_name:
                    return line
            assert self.process.poll() is None, self.errors.read_text()
            assert time.monotonic() < until, self.errors.read_text()
            time.sleep(0.02)

    def lines(self) -> list[dict[str, Any]]:
        whole = self.errors.read_text().rpartition("\n")[0]
        return [json.loads(line) for line in whole.splitlines() if line.startswith("{")]

    def terminate(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(ENDS_WITHIN_S)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Command]]:
    made: list[Command] = []
    (tmp_path / "failing.py").write_text(STORES)
    installed = tmp_path / "failing-1.0.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: failing\nVersion: 1.0\n")
    names = ("Flagged", "Waits", "Blocks", "NeverOpens", "Slow")
    points = "".join(f"{name.lower()} = failing:{name}\n" for name in names)
    (installed / "entry_points.txt").write_text(f"[headwater.stores]\n{points}")

    def run(*arguments: str, **variables: str) -> Command:
        made.append(Command(tmp_path, *arguments, **variables))
        return made[-1]

    yield run
    for command in made:
        command.process.kill()
        command.process.communicate()
