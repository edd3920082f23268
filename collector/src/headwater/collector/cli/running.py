"""Whether a collector works on a directory now."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path


def collector_runs(directory: Path) -> bool:
    """A living process holds the directory's lock. Takes nothing and writes nothing."""
    from headwater.collector.dirlock import LOCK_FILE

    return locked(directory / LOCK_FILE)


def locked(path: Path) -> bool:
    """Whether some process holds the file's lock; False if there is no such file."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
