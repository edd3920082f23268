"""``headwater collect`` in processes of their own: to stall, kill and start again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from tests.support.collector import clean_environment

STOP_WITHIN_S = 60


class Worker:
    """One collector of a topic, with short group timeouts."""

    def __init__(self, directory: Path, url: str, *, store: Mapping[str, str], name: str = "worker") -> None:
        self.errors = directory / f"{name}.stderr"
        self._command = [sys.executable, "-m", "headwater.collector.cli", "collect", "--port", "0"]
        self._environment = clean_environment(
            HEADWATER_URL=url,
            HEADWATER_LINEAGE__KAFKA__SESSION_TIMEOUT_S="6",
            HEADWATER_LINEAGE__KAFKA__METADATA_MAX_AGE_S="1",
            HEADWATER_LINEAGE__KAFKA__CREATE_TOPICS="true",
            HEADWATER_LINEAGE__COLLECTOR__GROUP="workers",
            HEADWATER_LINEAGE__COLLECTOR__MAX_RECORDS="200",
            **store,
        )
        self._directory = directory
        self.start()

    def start(self) -> None:
        with self.errors.open("a") as errors:
            self._begins = errors.tell()
            self.process = subprocess.Popen(
                self._command, stdout=subprocess.DEVNULL, stderr=errors, env=self._environment, cwd=self._directory
            )

    def send(self, number: signal.Signals) -> None:
        """A signal, if it lives."""
        if self.process.poll() is None:
            os.kill(self.process.pid, number)

    def kill(self) -> None:
        """SIGKILL, stalled or not."""
        self.process.kill()
        self.process.wait(STOP_WITHIN_S)

    def await_collecting(self) -> None:
        """Until it says that it collects; before that a SIGTERM simply ends it, as it ends any process."""
        until = time.monotonic() + STOP_WITHIN_S
        while b"collecting" not in self.errors.read_bytes()[self._begins :]:
            assert self.process.poll() is None, self.errors.read_text()
            assert time.monotonic() < until, self.errors.read_text()
            time.sleep(0.05)

    def stop(self) -> None:
        """SIGTERM; it must end well."""
        self.send(signal.SIGCONT)
        self.await_collecting()
        self.send(signal.SIGTERM)
        assert self.process.wait(STOP_WITHIN_S) == 0, self.errors.read_text()
