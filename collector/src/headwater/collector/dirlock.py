"""One collector to a directory."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import Final

from headwater.shared.errors import ConfigurationError

LOCK_FILE: Final = "collector.lock"
"""Holds the process id of the collector at work. Stays when it ends; the lock on it does not."""


class DirectoryLock:
    """An advisory lock of the operating system: it ends with the process, however that ends. Readers do not take it."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._descriptor: int | None = None

    def acquire(self) -> None:
        """Makes the directory if it is missing. Raises ConfigurationError if another collector is at work there, or if
        the directory cannot be written."""
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self._directory / LOCK_FILE, os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise ConfigurationError(
                "directory", str(self._directory), f"cannot be written: {error.strerror}; choose another (--dir)"
            ) from error
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            pid = os.read(descriptor, 32).decode("ascii", "replace").strip() or "unknown"
            os.close(descriptor)
            raise ConfigurationError(
                "directory",
                str(self._directory),
                f"a collector is at work there (pid {pid}); stop it, or choose another directory (--dir)",
            ) from error
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        self._descriptor = descriptor

    def release(self) -> None:
        """Idempotent."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
