"""Child processes of these tests: started with this checkout on their path, killed for good."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping

from tests.support.collector import clean_environment
from tests.support.outside import ROOT


class Child:
    """``python -m module arguments``, its standard output a pipe that is read to the last byte."""

    def __init__(self, module: str, *arguments: str, env: Mapping[str, str] | None = None) -> None:
        path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        environment = clean_environment(PYTHONPATH=path)
        self.errors = b""
        """What it wrote to its standard error, once it has ended."""
        self.process = subprocess.Popen(
            [sys.executable, "-X", "faulthandler", "-m", module, *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment | dict(env or {}), cwd=ROOT,
        )  # fmt: skip

    def wait_for_output(self, timeout_s: float = 120) -> bool:
        """True once the child has written something, False when it ended without. Fails with the child's stack where it
        does neither in time."""
        ready, _, _ = select.select([self.process.stdout], [], [], timeout_s)
        if not ready:
            self.process.send_signal(signal.SIGABRT)
            _, err = self.process.communicate(timeout=60)
            raise AssertionError(f"the child says nothing for {timeout_s:g} s; it was here:\n{err.decode()}")
        return self.process.poll() is None

    def kill_after(self, seconds: float) -> bytes:
        """Lets it work, kills it and returns what it wrote. Ends early, unkilled, if the child does."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline and self.process.poll() is None:
            time.sleep(min(0.005, max(0.0, deadline - time.monotonic())))
        self.process.send_signal(signal.SIGKILL)
        return self.output(-signal.SIGKILL, 0)

    def output(self, *statuses: int, timeout_s: float = 120) -> bytes:
        """What it wrote until its end, which must have one of ``statuses`` (default 0)."""
        out, self.errors = self.process.communicate(timeout=timeout_s)
        assert self.process.returncode in (statuses or (0,)), self.errors.decode()
        return out
