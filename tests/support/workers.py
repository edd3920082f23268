"""``headwater collect`` in processes of their own: to stall, kill and start again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
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

    def stop(self) -> None:
        """SIGTERM; it must end well."""
        self.send(signal.SIGCONT)
        self.send(signal.SIGTERM)
        assert self.process.wait(STOP_WITHIN_S) == 0, self.errors.read_text()
