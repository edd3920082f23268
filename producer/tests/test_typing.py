"""A type checker sees the decorated function as it was written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest


def test_signatures_are_kept() -> None:
    pytest.importorskip("mypy")
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--warn-unused-ignores",
            str(Path(__file__).parent / "signatures.py"),
        ],
        capture_output=True,
        text=True,
        cwd=root,
        env={**os.environ, "MYPYPATH": ""},
    )
    assert done.returncode == 0, done.stdout + done.stderr
