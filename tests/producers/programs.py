"""Runs a producer's own program, as its user would."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.support.collector import clean_environment

LONGEST_S = 600
SHOWN = 4_000


def surroundings(binaries: Path, more: Mapping[str, str]) -> dict[str, str]:
    """The environment of a program in a virtual environment: activated, and with no setting of lineage but ``more``."""
    kept = clean_environment()
    for foreign in ("PYTHONPATH", "PYTHONHOME", "CI"):
        kept.pop(foreign, None)
    path = os.pathsep.join((str(binaries), kept.get("PATH", "")))
    return kept | {"PATH": path, "VIRTUAL_ENV": str(binaries.parent)} | dict(more)


def run_program(binaries: Path, command: Sequence[str], *, where: Path, env: Mapping[str, str], status: int = 0) -> str:
    """Runs it to its end, which must have this status; what it printed on both streams.

    Raises AssertionError with the end of that, and subprocess.TimeoutExpired after LONGEST_S.
    """
    done = subprocess.run(
        [str(binaries / command[0]), *command[1:]],
        cwd=where,
        env=surroundings(binaries, env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=LONGEST_S,
        check=False,
    )
    ended = done.returncode
    assert ended == status, f"{command[0]} ended with {ended}:\n{done.stdout[-SHOWN:]}"
    return done.stdout
