"""One real server on loopback, in a directory of its own, that a test may kill, stall and start again."""

from __future__ import annotations

import abc
import contextlib
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import psutil

from tests.servers.errors import ServerBroken
from tests.servers.ports import HOST, free_port, is_open
from tests.servers.warden import Warden

_POLL_S = 0.05


class Server(abc.ABC):
    """A server process and its data.

    Its ports are chosen once, so ``url`` holds through every restart. All methods block: from a coroutine, call them
    with ``asyncio.to_thread``. Not for several threads at once.
    """

    name: ClassVar[str]
    """As in configuration: kafka, neo4j, mongo, postgres."""
    product: ClassVar[str]
    """What really runs, with its version."""
    default_port: ClassVar[int]
    """Where ``up`` puts it when nothing else is there."""
    stop_signal: ClassVar[signal.Signals] = signal.SIGTERM
    """Asks for an orderly end even while clients are connected."""
    start_timeout_s: ClassVar[float] = 90
    stop_timeout_s: ClassVar[float] = 20

    def __init__(self, directory: Path, *, port: int | None = None, detached: bool = False) -> None:
        """``directory`` takes data, configuration and log. A ``detached`` server outlives this process; any other is
        killed with it, however it ends. A directory that a running server has is taken over."""
        self.directory = directory.absolute()
        self.directory.mkdir(parents=True, exist_ok=True)
        self._detached = detached
        self._process: psutil.Process | None = None
        self._warden: Warden | None = None
        state = self._read_state()
        self.port: int = port or state.get("port") or free_port()
        if state.get("pid"):
            with contextlib.suppress(psutil.NoSuchProcess):
                process = psutil.Process(state["pid"])
                if process.create_time() == state["created"]:  # else the number has gone to another process
                    self._process, self.port = process, state["port"]

    @property
    @abc.abstractmethod
    def url(self) -> str:
        """What clients of this kind connect to."""

    @abc.abstractmethod
    def build(self) -> None:
        """Fetch or compile what is not in the cache yet. Raises ServerMissing."""

    @staticmethod
    @abc.abstractmethod
    def ask(url: str) -> None:
        """One round trip as a client; raises anything while the server cannot serve, within a few seconds."""

    @abc.abstractmethod
    def _prepare(self) -> list[str]:
        """Write configuration, make the data directory at the first start, and return the command."""

    def _identity(self) -> dict[str, Any]:
        """Arguments of Popen that set another user and a folder it may enter."""
        return {}

    @property
    def log(self) -> Path:
        """What it prints, appended at every start."""
        return self.directory / "log"

    @property
    def running(self) -> bool:
        """Whether its process lives (stalled counts)."""
        if self._process is None:
            return False
        with contextlib.suppress(psutil.NoSuchProcess):
            return bool(self._process.is_running() and self._process.status() != psutil.STATUS_ZOMBIE)
        return False

    @property
    def pid(self) -> int | None:
        """The process, while it lives."""
        return self._process.pid if self._process and self.running else None

    def start(self) -> None:
        """Start, and return when it really answers. Nothing to do while it runs. Raises ServerMissing, ServerBroken."""
        if self.running:
            return
        self.build()
        command = self._prepare()
        with self.log.open("ab") as log:
            self._process = psutil.Popen(
                command,
                **({"cwd": self.directory} | self._identity()),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # Ctrl-C is for the tests; they stop their servers in order
            )
        if not self._detached:
            self._warden = Warden(self._process.pid)
        state = {"pid": self._process.pid, "created": self._process.create_time(), "port": self.port}
        (self.directory / "state.json").write_text(json.dumps(state | self._more_state()))
        try:
            self._wait_until_it_answers()
        except BaseException:
            self.kill()
            raise

    def stop(self) -> None:
        """An orderly end; SIGKILL when it takes longer than ``stop_timeout_s``."""
        if self.running and self._process is not None:
            self.resume()
            with contextlib.suppress(psutil.NoSuchProcess):
                self._process.send_signal(self.stop_signal)
                with contextlib.suppress(psutil.TimeoutExpired):
                    self._process.wait(self.stop_timeout_s)
        self.kill()

    def kill(self) -> None:
        """SIGKILL, to all its processes at once. Its data stays as the kernel has it."""
        processes = list(self._processes())
        for process in processes:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        if psutil.wait_procs(processes, timeout=self.stop_timeout_s)[1]:
            raise ServerBroken(f"{self.name} does not end on SIGKILL")
        if self._process is not None:  # it may have ended by itself, and is to be reaped all the same
            with contextlib.suppress(psutil.NoSuchProcess):
                self._process.wait(self.stop_timeout_s)
        self._process = None
        if self._warden is not None:
            self._warden.dismiss()
            self._warden = None

    def restart(self) -> None:
        """``kill``, then ``start`` on the same data and port."""
        self.kill()
        self.start()

    def pause(self) -> None:
        """SIGSTOP: connections stay open, nothing is answered."""
        for process in self._processes():
            with contextlib.suppress(psutil.NoSuchProcess):
                process.suspend()

    def resume(self) -> None:
        """SIGCONT."""
        for process in self._processes():
            with contextlib.suppress(psutil.NoSuchProcess):
                process.resume()

    def remove(self) -> None:
        """Kill it and delete its directory."""
        self.kill()
        shutil.rmtree(self.directory, ignore_errors=True)

    @property
    def memory_bytes(self) -> int:
        """Resident memory of all its processes, shared pages counted once where the kernel tells."""
        total = 0
        for process in self._processes():
            with contextlib.suppress(psutil.NoSuchProcess):
                total += process.memory_full_info().pss
        return total

    def _processes(self) -> Iterator[psutil.Process]:
        """The process first, so that it cannot start others meanwhile, then those it had started."""
        if self._process is None or not self.running:
            return
        with contextlib.suppress(psutil.NoSuchProcess):
            children = self._process.children(recursive=True)
            yield self._process
            yield from children

    def _more_state(self) -> dict[str, int]:
        return {}

    def _read_state(self) -> dict[str, Any]:
        path = self.directory / "state.json"
        state: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
        return state

    def _wait_until_it_answers(self) -> None:
        until = time.monotonic() + self.start_timeout_s
        while True:
            why = "the port is closed"
            if is_open(self.port):
                try:
                    return self.ask(self.url)
                except Exception as error:  # each client library has its own; the last one is told
                    why = f"{type(error).__name__}: {error}"
            if not self.running:
                raise ServerBroken(f"{self.name} ended at its start\n{self._end_of_log()}")
            if time.monotonic() > until:
                raise ServerBroken(
                    f"{self.name} did not answer within {self.start_timeout_s:.0f} s ({why})\n{self._end_of_log()}"
                )
            time.sleep(_POLL_S)

    def _end_of_log(self) -> str:
        lines = self.log.read_text(errors="replace").splitlines()[-30:]
        return "\n".join([f"{self.log}:", *lines])

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.url} {'pid ' + str(self.pid) if self.running else 'down'}>"


def address(port: int) -> str:
    """host:port on loopback."""
    return f"{HOST}:{port}"


def account() -> str | None:
    """The account for a server that refuses root; None when we are not root."""
    return "postgres" if os.geteuid() == 0 else None
