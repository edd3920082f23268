"""Where tests put what they throw away: into memory where Linux has it. A disk makes every database wait for its
commits, and tests kill processes, not the machine."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from tests.support.seeds import FULL

MEMORY = Path("/dev/shm")
SCRATCH = MEMORY if MEMORY.is_dir() else Path(tempfile.gettempdir())
"""For hundreds of short-lived databases, a few at a time."""
_ROOMY_BYTES = 4 << 30


def use_memory() -> None:
    """For all temporary files of this process and of those that it starts, pytest's and the servers' included. Not
    where there is little room, nor with full counts, which take much of it."""
    if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free >= _ROOMY_BYTES and not FULL:
        tempfile.tempdir = os.environ["TMPDIR"] = str(MEMORY)
